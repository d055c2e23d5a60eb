import { inject, type TestContext } from 'vitest';

type ServiceUnderTest = {
  /** Ends in `/v1`. */
  baseAddress: string;
  apiKey: string;
  /** `npm test` may add any number of pets, a deployment gets few, and production none. */
  mode: 'local' | 'fewPets' | 'readOnly';
  /** Whether links may lack a host. Emulators of API Gateway name no domain. */
  acceptsRelativeLinks: boolean;
  /** An origin whose pages may call the service. */
  corsOrigin?: string | undefined;
  /** How long a new pet may take to show in a list. */
  listDelayMs: number;
};

declare module 'vitest' {
  interface ProvidedContext {
    /** Set by `npm run smoke`. Without it the tests start the service themselves. */
    service?: ServiceUnderTest;
  }
}

export const service = {
  ...(inject('service') ?? (await startService())),
  startedAtMs: Date.now(),
};

async function startService(): Promise<ServiceUnderTest> {
  // Loaded only if no deployment is tested.
  const { startGateway } = await import('../helpers/gateway.ts');
  return {
    ...(await startGateway()),
    mode: 'local',
    acceptsRelativeLinks: false,
    listDelayMs: 0,
  };
}

/** Skips a test that adds pets if the service must get none, or only few. */
export function skipUnlessPetsMayBeAdded(context: TestContext, number: 'few' | 'any'): void {
  const { mode } = service;
  context.skip(mode === 'readOnly', 'adds a pet, which --read-only forbids');
  context.skip(mode !== 'local' && number === 'any', 'adds more pets than a deployment should get');
}

/** Skips a test of bytes that a gateway may change into a valid request. */
export function skipBehindGateway(context: TestContext, change: string): void {
  context.skip(service.mode !== 'local', `a gateway may ${change}`);
}

/**
 * Returns the path below the base address that a link names.
 *
 * A link to another address fails the test and is not followed, because it would get the API key.
 */
export function pathOf(link: string): string {
  const { baseAddress, acceptsRelativeLinks } = service;
  const bases = acceptsRelativeLinks ? [baseAddress, '/v1'] : [baseAddress];
  const base = bases.find((each) => link.startsWith(`${each}/`));
  if (base === undefined) throw new Error(`Expected a link below ${baseAddress}/, got ${link}`);
  return link.slice(base.length);
}
