/** Replaces `@smithy/core/event-streams` in the bundles, because no function streams events. */
export const eventStreamSerdeProvider = undefined;

export function resolveEventStreamSerdeConfig<Config>(config: Config): Config {
  return config;
}

export class EventStreamSerde {
  constructor() {
    throw new Error('This bundle has no code for event streams.');
  }
}
