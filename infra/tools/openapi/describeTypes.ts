type Schema = {
  $ref?: string;
  type?: string;
  format?: string;
  enum?: (string | number)[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string;
};

type Content = Record<string, { schema: Schema }>;
type Parameter = {
  name: string;
  in: string;
  required: boolean;
  description: string;
  schema: Schema;
};
type Operation = {
  operationId: string;
  summary: string;
  description?: string;
  deprecated?: boolean;
  parameters: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { content: Content }>;
};

/** As much of an OpenAPI document as becomes types. */
type Description = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** What a type expresses of a schema, and what narrows its values and leaves the type alone. */
const understoodKeywords = new Set([
  ...['$ref', 'type', 'format', 'enum', 'items', 'properties', 'required', 'description'],
  ...['default', 'examples', 'minimum', 'maximum', 'minLength', 'maxLength', 'maxItems', 'pattern'],
]);

/**
 * Writes an OpenAPI description as TypeScript types, in the layout of openapi-typescript.
 *
 * An int64 is a `bigint`. Throws for a schema that it cannot express, rather than write a looser type.
 */
export function describeTypes({ paths, components }: Description): string {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const schemas = Object.entries(components.schemas).map(([name, schema]) =>
    member(name, typeOf(schema), schema),
  );
  return [
    '// Written by `npm run client` from openapi.json, and not by hand.\n',
    `export type paths = ${block(Object.entries(paths).map(describePath))};\n`,
    `export type components = ${block([member('schemas', block(schemas))])};\n`,
    `export type operations = ${block(operations.map(describeOperation))};\n`,
  ].join('\n');
}

function describePath([path, methods]: [string, Record<string, Operation>]): string {
  const members = Object.entries(methods).map(([method, { operationId }]) =>
    member(method, `operations['${operationId}']`),
  );
  return member(path, block(members));
}

function describeOperation(operation: Operation): string {
  const { operationId, parameters, requestBody, responses } = operation;
  const { summary, deprecated, description: details } = operation;
  const answers = Object.entries(responses).map(([status, { content }]) =>
    member(status, describeContent(content)),
  );
  const type = block([
    member('parameters', describeParameters(parameters)),
    requestBody
      ? member('requestBody', describeContent(requestBody.content))
      : member('requestBody', 'never', { required: false }),
    member('responses', block(answers)),
  ]);
  const rest = [deprecated && '@deprecated', details].filter(Boolean).join(' ');
  return member(operationId, type, { description: rest ? `${summary}.\n${rest}` : `${summary}.` });
}

function describeParameters(parameters: Parameter[]): string {
  const places = ['query', 'header', 'path'].map((place) => {
    const inPlace = parameters.filter((parameter) => parameter.in === place);
    const members = inPlace.map(({ schema, ...rest }) => member(rest.name, typeOf(schema), rest));
    const required = inPlace.some((parameter) => parameter.required);
    return member(place, members.length > 0 ? block(members) : 'never', { required });
  });
  return block(places);
}

function describeContent(content: Content): string {
  const members = Object.entries(content).map(([mediaType, { schema }]) =>
    member(mediaType, typeOf(schema)),
  );
  return block([member('content', block(members))]);
}

function typeOf(schema: Schema): string {
  const unknown = Object.keys(schema).filter((keyword) => !understoodKeywords.has(keyword));
  if (unknown.length > 0) throw new Error(`No type is known for a schema with ${unknown}.`);

  if (schema.$ref) return `components['schemas']['${schema.$ref.split('/').at(-1)}']`;
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  if (schema.type === 'integer') return schema.format === 'int64' ? 'bigint' : 'number';
  if (schema.type === 'string') return 'string';
  if (schema.type === 'array' && schema.items) return `Array<${typeOf(schema.items)}>`;
  if (schema.type === 'object' && schema.properties) {
    const { properties, required = [] } = schema;
    const members = Object.entries(properties).map(([name, property]) =>
      member(name, typeOf(property), { ...property, required: required.includes(name) }),
    );
    return block(members);
  }
  throw new Error(`No type is known for a schema of type ${schema.type}.`);
}

function member(
  name: string,
  type: string,
  { required = true, description = '' }: { required?: unknown; description?: string } = {},
): string {
  const key = /^\w+$/.test(name) ? name : literal(name);
  return `${comment(description)}${key}${required ? '' : '?'}: ${type};`;
}

function comment(text: string): string {
  const safe = text.replaceAll('*/', '* /');
  if (safe.includes('\n')) return `/**\n${safe.replace(/^/gm, ' * ')}\n */\n`;
  return safe && `/** ${safe} */\n`;
}

function block(members: string[]): string {
  const [first = '', ...others] = members;
  if (others.length === 0 && !first.includes('\n')) return `{ ${first.slice(0, -1)} }`;
  return `{\n${members.join('\n').replace(/^/gm, '  ')}\n}`;
}

function literal(value: string | number): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value);
}
