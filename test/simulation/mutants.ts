import { creatingMutants } from './mutants/creatingMutants.ts';
import type { Mutant } from './mutants/Mutant.ts';
import { readingMutants } from './mutants/readingMutants.ts';
import { retryMutants } from './mutants/retryMutants.ts';

/** Every mutant, by its name. */
export const mutants: Record<string, Mutant> = {
  ...creatingMutants,
  ...retryMutants,
  ...readingMutants,
};
