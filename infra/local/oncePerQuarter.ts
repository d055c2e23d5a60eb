import type { SeedProgress } from './seedPets.ts';

type OnProgress = (progress: SeedProgress) => void;

/** Passes on the beginning and three steps on the way; the end is told by itself. */
export function oncePerQuarter(onProgress: OnProgress): OnProgress {
  let nextQuarter = 0;
  return (progress) => {
    const quarter = Math.floor((4 * progress.writtenPets) / progress.totalPets);
    if (quarter < nextQuarter || quarter === 4) return;
    nextQuarter = quarter + 1;
    onProgress(progress);
  };
}
