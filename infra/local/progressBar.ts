import type { SeedProgress } from './seedPets.ts';

/** A shorter bar says less than the numbers beside it. */
const minBarColumns = 10;

/** Draws the progress as one line that fits the terminal, with a bar where there is room for one. */
export function progressBar(progress: SeedProgress, columns: number): string {
  const { writtenPets, totalPets } = progress;
  const { pets, percent, rate } = progressTexts(progress);
  const numbers = `${pets}  ${percent.padStart(5)}  ${rate.padStart(13)}`;
  // The last column stays free: some terminals go to the next line as soon as it is filled.
  const barColumns = columns - 1 - '  '.length - numbers.length;
  if (barColumns < minBarColumns) return numbers.slice(0, columns - 1);
  const filledColumns = Math.floor((barColumns * writtenPets) / totalPets);
  return `${'█'.repeat(filledColumns).padEnd(barColumns, '░')}  ${numbers}`;
}

/** Says the progress in words, for an output that cannot draw a line anew. */
export function progressLine(progress: SeedProgress): string {
  const { pets, percent, rate } = progressTexts(progress);
  if (progress.writtenPets === 0) return `Adding ${count(progress.totalPets)} made-up pets …`;
  return `Added ${pets}  ${percent}  ${rate}`;
}

/** Says how it ended. */
export function seededLine(progress: SeedProgress): string {
  const { writtenPets, totalPets, elapsedMs } = progress;
  const outcome =
    writtenPets < totalPets
      ? `Stopped after ${count(writtenPets)} of ${count(totalPets)} made-up pets`
      : `Added ${count(totalPets)} made-up pets`;
  return `${outcome} in ${(elapsedMs / 1000).toFixed(1)} s, ${progressTexts(progress).rate}.\n`;
}

function progressTexts({ writtenPets, totalPets, elapsedMs }: SeedProgress) {
  const petsPerSecond = elapsedMs > 0 ? (1000 * writtenPets) / elapsedMs : 0;
  return {
    // As wide at the beginning as at the end, so that the bar beside it keeps its length.
    pets: `${count(writtenPets).padStart(count(totalPets).length)} of ${count(totalPets)} pets`,
    percent: `${Math.floor((100 * writtenPets) / totalPets)} %`,
    rate: `${count(petsPerSecond)} pets/s`,
  };
}

function count(pets: number): string {
  return pets.toLocaleString('en', { maximumFractionDigits: 0 });
}
