/** What this project uses of dynalite, which ships no types. */
declare module 'dynalite' {
  import type { Server } from 'node:http';

  type Options = {
    /** The LevelDB folder; in memory without one. */
    path?: string;
    createTableMs?: number;
    deleteTableMs?: number;
    /** With it the server is one of `node:https`. */
    ssl?: boolean;
    key?: string;
    cert?: string;
  };

  export default function dynalite(options?: Options): Server;
}
