import { describe, expect, it } from 'vitest';
import { describeTypes } from '../../infra/tools/openapi/describeTypes.ts';

const describeSchema = (schema: object) =>
  describeTypes({ paths: {}, components: { schemas: { Pet: schema } } });

describe('describeTypes', () => {
  it('writes an int64 as bigint, and any other integer as number', () => {
    const properties = {
      id: { type: 'integer', format: 'int64' },
      age: { type: 'integer' },
    };

    const types = describeSchema({ type: 'object', properties, required: ['id'] });

    expect(types).toContain('id: bigint;\n');
    expect(types).toContain('age?: number;\n');
  });

  it.each([{ oneOf: [] }, { type: 'string', nullable: true }, { type: ['string', 'null'] }, {}])(
    'throws for %j, which it would have to write as a looser type',
    (schema) => {
      expect(() => describeSchema(schema)).toThrow('No type is known for a schema');
    },
  );

  it('lets no description end the comment that it stands in', () => {
    const types = describeSchema({ type: 'string', description: 'Ends */ here.' });

    expect(types).toContain('/** Ends * / here. */');
  });
});
