import { type Stage, stages } from '../../infra/stages.ts';
import { defineCommand, print, runCommand } from '../../infra/tools/command.ts';
import { headerBytes } from './cost/assumptions.ts';
import { cents, millionTable, millionUses, ownCost } from './cost/costs.ts';
import { priceOf, priceSource } from './cost/prices.ts';
import { requestBytes } from './cost/requestBytes.ts';
import { savingsTable } from './cost/savings.ts';
import { markdownTable, writeSection } from './report.ts';
import { requestMs } from './scaling/ceilings.ts';

const document = 'docs/costs.md';

/** The sections of the document, in Markdown. */
export async function costSections(): Promise<Record<string, string>> {
  // Imported on demand: they synthesise the templates, which --help does not need.
  const { idleTable } = await import('./cost/idleMonth.ts');
  const { worstDayTable } = await import('./cost/dailyWorstCase.ts');
  const [production] = stages as readonly [Stage];
  const { '`createPet`': creates } = millionUses(production);
  if (!creates) throw new Error('No requests create pets.');
  return {
    prices: `The prices are ${priceSource}. Check those of your Region.`,
    million: [
      `A million requests. A \`createPet\` takes ${requestMs('createPet', production).toFixed(1)} ms:`,
      ...stages.map((stage) => `\`${stage.name}\`:\n\n${millionTable(stage)}`),
    ].join('\n\n'),
    savings: [
      `Lambda, logs, X-Ray and metrics of a million \`createPet\` requests cost ${cents(ownCost(creates))} in production. These savings are in it:`,
      savingsTable(creates),
    ].join('\n\n'),
    'HTTP API': `An HTTP API takes ${cents(priceOf('httpApiRequest', 1e6))} for a million requests, a REST API ${cents(priceOf('gatewayRequest', 1e6))}: it would save ${cents(priceOf('gatewayRequest', 1e6) - priceOf('httpApiRequest', 1e6))}.`,
    'idle month': idleTable(stages),
    'worst day': worstDayTable(stages),
    compression: compressionTable(),
  };
}

/** Pages with and without gzip, and the price of sending a million of them, with their headers. */
function compressionTable(): string {
  const sent = (bytes: number) => cents(priceOf('transferredGb', (bytes + headerBytes) / 1e3));
  const rows = (['listPets of 20', 'listPets of 100'] as const).map((name) => {
    const { body, gzippedBody } = requestBytes[name];
    return [name, ...[body, gzippedBody].map(String), sent(body), sent(gzippedBody)];
  });
  return markdownTable(['A page', 'Bytes', 'In gzip', 'Data out of a million', 'In gzip'], rows);
}

export const cost = defineCommand(
  'cost',
  'Calculates the bill: a million of each request, an idle month, the worst day.',
)
  .option('--write', `update ${document}`)
  .action(async ({ write }) => {
    for (const [name, text] of Object.entries(await costSections())) {
      print(`${text}\n`);
      if (write) writeSection(document, name, text);
    }
  });

if (import.meta.main) await runCommand(cost);
