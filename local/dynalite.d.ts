// The parts of dynalite that this project uses. The package has no types.

declare module 'dynalite' {
  import type { Server } from 'node:http';

  type Options = {
    /** The LevelDB folder. In memory if absent. */
    path?: string | undefined;
    createTableMs?: number;
    deleteTableMs?: number;
  };

  export default function dynalite(options?: Options): Server;
}

declare module 'dynalite/db/index.js' {
  type Input = { ReturnValuesOnConditionCheckFailure?: string };

  const engine: {
    /** Creates the store of an engine, with its LevelDB database. */
    create(options: object): { db: { open(): Promise<void> } };
    /** Returns the error response of a condition that the stored item fails. */
    checkConditional(data: Input, stored?: object): { body: Record<string, unknown> } | undefined;
  };
  export default engine;
}

declare module 'dynalite/validations/putItem.js' {
  const putItem: {
    /** The parameters that a put may have. */
    types: Record<string, { type: string; enum: string[] }>;
  };
  export default putItem;
}
