import { readFile } from 'node:fs/promises';

/** A server of the description, as OpenAPI has it. */
export type DescribedServer = { url: string; description: string };

type Schema = { $ref?: string; enum?: unknown[]; default?: unknown };
type Parameter = { required: boolean; schema: Schema; example?: unknown };
type Description = {
  servers: object[];
  paths: Record<string, Record<string, { parameters: Parameter[] }>>;
  components: { schemas: Record<string, Schema> };
};

const descriptionFile = new URL('../../openapi.json', import.meta.url);

/** Reads openapi.json for the page, with the servers that it does not know standing first. */
export async function describeForPage(servers: DescribedServer[]): Promise<string> {
  const description = JSON.parse(await readFile(descriptionFile, 'utf8')) as Description;
  description.servers.unshift(...servers);
  for (const operation of Object.values(description.paths).flatMap(Object.values)) {
    operation.parameters = operation.parameters.map((parameter: Parameter) =>
      untickOptional(parameter, description.components.schemas),
    );
  }
  return JSON.stringify(description, null, 2);
}

/**
 * Has an optional parameter sent only once it is ticked, if it would make a difference.
 *
 * Otherwise a list would be filtered by the first status that there is, and the same Idempotency-Key
 * in every try would make the second one a repetition of the first.
 */
function untickOptional(parameter: Parameter, schemas: Description['components']['schemas']) {
  const { example, ...others } = parameter;
  const schema = schemas[others.schema.$ref?.split('/').at(-1) ?? ''] ?? others.schema;
  const value = example ?? schema.enum?.[0];
  if (others.required || value === undefined || value === schema.default) return parameter;

  return { ...others, examples: { example: { value, 'x-disabled': true } } };
}
