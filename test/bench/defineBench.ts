import { Option } from '@commander-js/extra-typings';
import { defineCommand, wholeNumber } from '../../infra/tools/command.ts';
import { serviceOf, type Variant } from './variants.ts';

/** Starts the definition of a bench that compares the service with these variants. */
export function defineBench(
  script: string,
  description: string,
  variants: readonly Variant[],
  rounds: number,
) {
  const names = variants.map(({ name }) => name);
  return defineCommand(script, description)
    .option(
      '--rounds <number>',
      'rounds in which each variant is measured once',
      wholeNumber(1, 9_999),
      rounds,
    )
    .addOption(new Option('--only <names...>', 'the service and only these').choices(names))
    .option('--against <folders...>', 'the service and only those in these copies of the project');
}

/** Returns the variants that the options choose. The service is the first. */
export async function chosenVariants(
  all: readonly Variant[],
  { only, against = [] }: { only?: readonly string[]; against?: readonly string[] },
): Promise<Variant[]> {
  const chosen = only ?? (against.length > 0 ? [] : all.map(({ name }) => name));
  const variants = all.filter(({ name }) => name === 'service' || chosen.includes(name));
  return [...variants, ...(await Promise.all(against.map(serviceOf)))];
}
