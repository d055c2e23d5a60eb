import { parseArgs } from 'node:util';
import { scalingReport } from './scaling/scalingReport.ts';
import { writeSection } from './writeSection.ts';

// Prints the model of docs/scaling.md. With --write it also updates that document.

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const report = scalingReport();
process.stdout.write(`${report}\n`);
if (values.write) writeSection('docs/scaling.md', 'model', report);
