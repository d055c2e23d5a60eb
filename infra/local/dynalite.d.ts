/** The part of dynalite that this project uses. The package has no types. */
declare module 'dynalite' {
  import type { Server } from 'node:http';

  type Options = {
    /** The LevelDB folder. In memory if absent. */
    path?: string;
    createTableMs?: number;
    deleteTableMs?: number;
    /** Creates a server of `node:https`. */
    ssl?: boolean;
    key?: string;
    cert?: string;
  };

  export default function dynalite(options?: Options): Server;
}
