import { afterAll } from 'vitest';

/** The origins of the service under test. */
const describedOrigins = new Set<string>();

/** From now on the OpenAPI document must describe every response from an origin. */
export function expectDescribed(origin: string): void {
  describedOrigins.add(origin);
}

const plainFetch = globalThis.fetch;

/** A setup file of vitest: an undescribed response over HTTP fails the test that receives it. */
globalThis.fetch = async function describedFetch(input, init) {
  const request = new Request(input, init);
  const response = await plainFetch(input, init);
  const { origin, pathname } = new URL(request.url);
  if (describedOrigins.has(origin) && pathname.startsWith('/v1')) {
    // Imported only now: most test files fetch nothing, and the document takes a while to load.
    const { assertDescribed } = await import('./assertDescribed.ts');
    assertDescribed(request.method, pathname, {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text: await response.clone().text(),
    });
  }
  return response;
};

// The next test file of this thread has its own.
afterAll(() => {
  globalThis.fetch = plainFetch;
});
