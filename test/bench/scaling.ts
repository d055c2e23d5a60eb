import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { scalingPlot, scalingReport } from './scaling/scalingReport.ts';
import { writeSection } from './writeSection.ts';

// Prints the model of docs/scaling.md; with --write it goes into that document, and its plot beside it.

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const report = scalingReport();
process.stdout.write(`${report}\n`);
if (values.write) {
  writeSection('docs/scaling.md', 'model', report);
  writeFileSync('docs/scaling.svg', scalingPlot());
}
