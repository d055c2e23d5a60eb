/** Stands for `@smithy/core/event-streams` in the bundles that speak to DynamoDB alone. */
export const eventStreamSerdeProvider = undefined;

export class EventStreamSerde {
  constructor() {
    throw new Error('DynamoDB has no event streams, and this bundle has no code for any.');
  }
}
