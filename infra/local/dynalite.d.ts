/** What this project uses of dynalite, which ships no types. */
declare module 'dynalite' {
  import type { Server } from 'node:http';

  type Options = {
    /** The LevelDB folder; in memory without one. */
    path?: string;
    createTableMs?: number;
    deleteTableMs?: number;
  };

  export default function dynalite(options?: Options): Server;
}
