import { Option } from '@commander-js/extra-typings';
import { defineCommand, namesOf, wholeNumber } from '../../infra/tools/command.ts';
import { type Lever, levers } from './levers.ts';
import { leverVariants, type Variant } from './variants.ts';

type Bench = 'bench' | 'bench:cold';

/** Starts the definition of a benchmark of these variants. Its options are read by `planBench`. */
export function defineBench(script: Bench, description: string, variants: readonly Variant[]) {
  const variantNames = variants.map(({ name }) => name);
  const leverNames = leversOf(script).map(({ name }) => name);
  return defineCommand(script, description)
    .option(
      '--rounds <number>',
      'rounds in which each variant is measured once',
      wholeNumber(1, 9_999),
      script === 'bench' ? 12 : 15,
    )
    .option(
      '--only <names>',
      `only these variants: ${variantNames.join(',')}`,
      namesOf(variantNames),
    )
    .option(
      '--without <levers>',
      `the service, and the service without each of these levers: ${leverNames.join(',')}`,
      namesOf(leverNames),
    )
    .option('--levers', 'the service, and the service without each lever')
    .addOption(
      new Option(
        '--write',
        'write the tables into docs/performance.md, which needs all variants',
      ).conflicts(['only', 'without']),
    );
}

type BenchPlan = {
  variants: readonly Variant[];
  /** The levers that are left out in turn, if that is what is measured. */
  leftOut?: readonly Lever[];
};

/** Returns what the options of a benchmark choose. */
export function planBench(
  script: Bench,
  all: readonly Variant[],
  { levers: isEveryLever, without = [], only }: ReturnType<ReturnType<typeof defineBench>['opts']>,
): BenchPlan {
  const leftOut = leversOf(script).filter(({ name }) => isEveryLever || without.includes(name));
  if (leftOut.length > 0) return { variants: leverVariants(leftOut), leftOut };
  return { variants: only ? all.filter(({ name }) => only.includes(name)) : all };
}

function leversOf(script: Bench): Lever[] {
  return levers.filter(({ isWarm }) => isWarm || script === 'bench:cold');
}

/** Each round has another order: what slows the machine slows all variants alike. */
export function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((value) => ({ value, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);
}
