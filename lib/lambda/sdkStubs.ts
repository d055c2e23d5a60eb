// In the bundles, replaces parts of the SDK that no function uses.

/** For `@smithy/core/event-streams`: no function streams events. */
export const eventStreamSerdeProvider = undefined;

export function resolveEventStreamSerdeConfig<Config>(config: Config): Config {
  return config;
}

export class EventStreamSerde {
  constructor() {
    throw new Error('This bundle has no code for event streams.');
  }
}

/** For `@aws-sdk/endpoint-cache`: a cache of discovered endpoints, and discovery is off. */
export class EndpointCache {}
