import { scanTable } from './scanTable.ts';
import { highestIdOf, type Table } from './Table.ts';

/** Reads a table through for the highest id of a pet or of the counter; 0 where there is none. */
export async function findHighestId(table: Table): Promise<bigint> {
  let highestId = 0n;
  for await (const items of scanTable(table)) {
    for (const id of items.map(highestIdOf)) if (id > highestId) highestId = id;
  }
  return highestId;
}
