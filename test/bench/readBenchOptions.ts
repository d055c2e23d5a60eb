import { parseArgs } from 'node:util';
import { type Lever, levers } from './levers.ts';
import { leverVariants, type Variant } from './variants.ts';

const usage = `Options of npm run bench and npm run bench:cold:
  --rounds <n>          rounds in which each variant is measured once (default: 12 warm, 15 cold)
  --only <names>        only these variants, separated by commas
  --without <levers>    the service, and the service without each of these levers
  --levers              the service, and the service without each lever
  --cpu <shares>        only bench:cold: full, 512 MB, 512 MB throughout
  --write               writes the tables into docs/performance.md
`;

type BenchOptions = {
  rounds: number;
  variants: readonly Variant[];
  /** The levers that are left out in turn, if that is what is measured. */
  leftOut?: readonly Lever[];
  cpu?: string[];
  isWritten: boolean;
};

/** Reads the command line. A run of some variants is not written: its tables would have gaps. */
export function readBenchOptions(
  bench: 'cold' | 'warm',
  allVariants: readonly Variant[],
): BenchOptions {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: bench === 'warm' ? '12' : '15' },
      only: { type: 'string' },
      without: { type: 'string' },
      levers: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      ...(bench === 'cold' && { cpu: { type: 'string' } as const }),
    },
  });
  const { only, without, write: isWritten } = values;
  if (values.help) {
    process.stdout.write(usage);
    process.exit();
  }
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be at least 1.');
  const cpu = typeof values.cpu === 'string' ? values.cpu.split(',') : undefined;
  if (isWritten && (only || without || cpu)) {
    throw new Error('--write needs all variants: omit --only, --without and --cpu.');
  }

  const ofThisBench = levers.filter(({ benches }) => benches.includes(bench));
  const leftOut = values.levers ? ofThisBench : without && namedIn(without, ofThisBench);
  const options = { rounds, isWritten, ...(cpu && { cpu }) };
  if (leftOut) return { ...options, variants: leverVariants(leftOut), leftOut };
  return { ...options, variants: only ? namedIn(only, allVariants) : allVariants };
}

function namedIn<T extends { name: string }>(text: string, all: readonly T[]): T[] {
  return text.split(',').map((name) => {
    const found = all.find((each) => each.name === name);
    if (found) return found;
    throw new Error(`${name} is none of ${all.map((each) => each.name).join(', ')}.`);
  });
}

/** Each round has another order: what slows the machine slows all variants alike. */
export function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((value) => ({ value, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);
}
