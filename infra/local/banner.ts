import { styleText } from 'node:util';

export type StartedService = {
  /** Ends in `/v1`. */
  baseAddress: string;
  /** Of the documentation page. */
  docsAddress: string;
  apiKey: string;
  /** What a person should know of it: `embedded, in .petstore`. */
  database: string;
};

/** What a person needs to know first: one row a thing, in the order in which they need it. */
export function banner({ baseAddress, docsAddress, apiKey, database }: StartedService): string {
  const curlLine = `curl -H 'Authorization: Bearer ${apiKey}' ${baseAddress}/pets`;
  const rows = [
    ['Pet store', styleText('cyan', baseAddress)],
    ['Docs', styleText('cyan', docsAddress)],
    ['API key', apiKey],
    ['Try', curlLine],
    ['Database', database],
    ['Stop', 'Ctrl+C'],
  ] as const;
  const lines = rows.map(([label, value]) => `${styleText('bold', label.padEnd(10))}  ${value}`);
  return `${lines.join('\n')}\n`;
}
