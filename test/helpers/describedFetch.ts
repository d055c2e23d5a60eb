/** The origins of the services under test. */
const describedOrigins = new Set<string>();

/** From now on every response from an origin must be as the OpenAPI document describes it. */
export function expectDescribed(origin: string): void {
  describedOrigins.add(origin);
}

const plainFetch = globalThis.fetch;

/** A setup file of vitest: a response over HTTP that is not as described fails the test. */
globalThis.fetch = async function describedFetch(input, init) {
  const request = new Request(input, init);
  const response = await plainFetch(input, init);
  const { origin, pathname } = new URL(request.url);
  if (describedOrigins.has(origin) && pathname.startsWith('/v1')) {
    // Imported here because most test files fetch nothing, and the document takes long to load.
    const { assertDescribed } = await import('./assertDescribed.ts');
    assertDescribed(request.method, pathname, {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text: await response.clone().text(),
    });
  }
  return response;
};
