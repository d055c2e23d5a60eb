/**
 * Reads Scalar's script for browsers, which draws the page.
 *
 * `@scalar/api-reference` has it as a file, among 272 packages of 290 MB. The plugin for Fastify has
 * the same bytes with a tenth of that, but hands them out by a route alone, so the route is called.
 */
export async function scalarBundle(): Promise<string> {
  // Imported on demand, because a start of the service must not wait for 4 MB that few will ask for.
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  let bundle: string | undefined;
  const reply = {
    header: () => reply,
    send(text: string) {
      bundle = text;
    },
  };
  const route = ({ url, handler }: Route) => {
    if (url.endsWith('/js/scalar.js')) handler(undefined, reply);
  };
  plugin({ route }, { configuration: { url: 'openapi.json' } }, () => {});
  if (!bundle?.includes(isInteger)) {
    throw new Error('This version of Scalar is another than infra/docs/scalarBundle.ts expects.');
  }
  return bundle.replace(isInteger, () => `${isInteger}${isBigInteger}`);
}

/** Where the form of a body asks whether what was typed is of the schema's type, `e` of one of `t`. */
const isInteger = 't.includes(`number`)||t.includes(`integer`)&&Number.isInteger(e)';

/** Or the BigInts of exactIntegers.js would be sent as strings. */
const isBigInteger = ':typeof e==`bigint`?t.includes(`integer`)';

type Reply = { header: () => Reply; send: (text: string) => void };
type Route = { url: string; handler: (request: undefined, reply: Reply) => void };
