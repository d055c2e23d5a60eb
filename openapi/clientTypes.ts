/** The part of a JSON schema that makes a type of TypeScript. */
export type Schema = {
  $ref?: string;
  type?: unknown;
  format?: string;
  enum?: string[];
  'x-extensible-enum'?: string[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string | undefined;
  /** A type of client/src/types.ts that has more members. */
  base?: string | undefined;
};

/**
 * Writes the type of a schema.
 *
 * An integer of a response is a `bigint`, because the client parses each one to it.
 */
export function writeType(name: string, schema: Schema, isSent: boolean): string {
  const { base, properties, required = [], description } = schema;
  const members = Object.entries(properties ?? {}).map(([member, each]) => {
    const type = typeOf(each, isSent, `${name}.${member}`);
    const rule = isSent && type.includes('bigint') ? ' A `number` must be a safe integer.' : '';
    const mark = required.includes(member)
      ? `: ${type}`
      : `?: ${type}${isSent ? ' | undefined' : ''}`;
    return `${writeComment(each.description && `${each.description}${rule}`, '  ')}  ${member}${mark};\n`;
  });
  const type = properties ? `{\n${members.join('')}}` : typeOf(schema, isSent, name);
  return `${writeComment(description)}export type ${name} = ${base ? `${base} & ` : ''}${type};\n`;
}

function typeOf(schema: Schema, isSent: boolean, place: string): string {
  const { $ref, type, format, items } = schema;
  if ($ref) return lastPart($ref);
  if (schema.enum) return unionOf(schema.enum);
  if (type === 'string' || type === 'boolean') return type;
  if (type === 'integer') {
    const sent = format === 'int64' ? 'bigint | number' : 'number';
    return isSent ? sent : 'bigint';
  }
  if (type === 'array' && items) return `Array<${typeOf(items, isSent, place)}>`;
  throw new Error(`The client has no type for ${place}: ${JSON.stringify(schema)}`);
}

/** Returns the name in a reference to a schema. */
export function lastPart($ref = ''): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}

/** Writes the type of a text that has one of these values. */
export function unionOf(values: string[] = []): string {
  return values.map((value) => `'${value}'`).join(' | ');
}

/** Writes the comment above a declaration. */
export function writeComment(text = '', indent = ''): string {
  if (text === '') return '';
  const [line, ...more] = text.replaceAll('*/', '*\\/').split('\n');
  if (more.length === 0) return `${indent}/** ${line} */\n`;
  const body = [line, ...more].map((each) => `${indent} * ${each}`.trimEnd()).join('\n');
  return `${indent}/**\n${body}\n${indent} */\n`;
}
