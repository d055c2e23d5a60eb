import { readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';

/** What the figures were measured on, in one line. */
export function machine(): string {
  const [cpu] = cpus();
  const { family = '', model = '' } = cpuIds();
  const name = `${cpu?.model.trim()}${family && ` (family ${family}, model ${model})`}`;
  const memoryGb = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${name}, ${memoryGb} GB, Linux ${release()}, Node.js ${process.version}`;
}

/** A virtual machine hides the name of its processor, but not these. */
function cpuIds(): { family?: string | undefined; model?: string | undefined } {
  try {
    const text = readFileSync('/proc/cpuinfo', 'utf8');
    return {
      family: /cpu family\s*: (\d+)/.exec(text)?.[1],
      model: /model\s*: (\d+)/.exec(text)?.[1],
    };
  } catch {
    return {};
  }
}
