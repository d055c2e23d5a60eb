/** Stands for `@smithy/core/event-streams` in the bundles: DynamoDB has none, so nobody asks. */
export const eventStreamSerdeProvider = undefined;

export class EventStreamSerde {
  constructor() {
    throw new Error('This bundle speaks to DynamoDB alone, which has no event streams.');
  }
}
