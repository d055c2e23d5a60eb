import type { Edit } from '../loadService.ts';

/** A mistake that someone could make in the code. */
export type Mutant = Edit & {
  /** The scopes that are explored, in this order. */
  scopes: string[];
  /** Why no scope can tell it from the real code. */
  reasonToSurvive?: string;
};

/** Mutants of one file, by their name. */
export function inFile(
  file: string,
  mutants: Record<string, Omit<Mutant, 'file'>>,
): Record<string, Mutant> {
  return Object.fromEntries(
    Object.entries(mutants).map(([name, mutant]) => [name, { file, ...mutant }]),
  );
}
