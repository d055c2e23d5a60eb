import * as z from 'zod/mini';
import type { oas31, ZodOpenApiMetadata } from 'zod-openapi';
import { type ErrorCode, errorStatuses } from '../lib/errors.ts';
import type { Operation, OperationName, operations } from '../lib/operations.ts';
import { ErrorBody } from '../lib/schemas.ts';

// What the descriptions of all resources share. Each resource has a file of its own, such as pets.ts.

type ParameterDescription = {
  description: string;
  /** The schema of the value as the client sends it; the functions see only strings. */
  schema: oas31.SchemaObject | oas31.ReferenceObject;
  /** Sent by the test of the examples, and by a reader who tries the operation. */
  example?: string | number;
};

export type ErrorDescriptions = {
  description: string;
  /** A message that the service sends. */
  message: string;
};

export type OperationDescriptions = {
  summary: string;
  description: string;
  /** By the names in the row's schemas. */
  parameters?: Record<string, ParameterDescription>;
  /** The real response on a store that holds `rex` and `mia`, to a request of the examples here. */
  response: { description: string; example?: unknown };
  /** The meaning of an error for this operation, if it differs from that for the others. */
  errors?: Partial<Record<ErrorCode, ErrorDescriptions>>;
  /** What to use instead of a deprecated operation. */
  replacement?: string;
  requestExample?: unknown;
};

type InputNames<Input> = {
  [Part in 'path' | 'query' | 'headers']: Input extends Record<Part, infer Schema>
    ? keyof z.output<Schema & z.ZodMiniType>
    : never;
}['path' | 'query' | 'headers'];

/** The descriptions that a row needs: of each parameter, of its body, of its response and of its deprecation. */
type DescriptionsOf<Row extends Operation> = OperationDescriptions &
  ([InputNames<Row['input']>] extends [never]
    ? { parameters?: never }
    : { parameters: Record<InputNames<Row['input']>, ParameterDescription> }) &
  (Row['input'] extends { body: unknown } ? { requestExample: unknown } : unknown) &
  (Row extends { output: unknown } ? { response: { example: unknown } } : unknown) &
  (Row extends { deprecation: unknown } ? { replacement: string } : unknown);

/** The descriptions of operations, by their names. */
export type DescriptionsOfRows = {
  [Name in OperationName]: DescriptionsOf<(typeof operations)[Name]>;
};

type FieldDescription = { description: string; [keyword: string]: unknown };

/** Gives a schema its name in the document, and a description to each of its fields. */
export function nameSchema<Shape extends z.core.$ZodShape>(
  id: string,
  schema: z.ZodMiniObject<Shape>,
  description: string,
  fields: Record<keyof Shape, FieldDescription>,
): void {
  // Fields are described here and not in the registry: two objects may share the schema of a field.
  const override: ZodOpenApiMetadata['override'] = ({ jsonSchema }) => {
    const entries = Object.entries(jsonSchema.properties ?? {}).map(([name, property]) => [
      name,
      { ...(property as object), ...fields[name as keyof Shape] },
    ]);
    jsonSchema.properties = Object.fromEntries(entries);
  };
  z.globalRegistry.add(schema, { id, description, override });
}

nameSchema('Error', ErrorBody, 'The body of every response with a status of 400 or above.', {
  code: {
    description: 'Machine-readable code. Treat a code that you do not know by its status.',
    // An enumeration would make strict clients reject a new code.
    enum: undefined,
    'x-extensible-enum': Object.keys(errorStatuses),
  },
  message: {
    description:
      'Human-readable text, not for programs. In a 400, it names each invalid field and what is valid.',
  },
  status: {
    description: 'The HTTP status of the response.',
    format: 'int32',
    minimum: 400,
    maximum: 599,
  },
});
