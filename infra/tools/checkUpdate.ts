import { readFile } from 'node:fs/promises';
import { defineCommand, print, runCommand } from './command.ts';
import { updateFaults } from './updateFaults.ts';

/** The faults of updates that people know to be harmless. */
const acceptedFile = '.ci/unsafeUpdates.txt';

export const checkUpdate = defineCommand(
  'check:update',
  'Refuses an update of a stage that AWS refuses, or that breaks a version which still runs.',
)
  .argument('<deployed>', 'the file with the template that is deployed')
  .argument('<next>', 'the file with the template that replaces it')
  .addHelpText('after', `\nThe lines in ${acceptedFile} are accepted.`)
  .action(async (...files) => {
    const [deployed, next] = await Promise.all(
      files.slice(0, 2).map(async (file) => JSON.parse(await readFile(String(file), 'utf8'))),
    );
    const { accepted, refused } = await findFaults(deployed, next);
    for (const fault of accepted) print(`Accepted: ${fault}`);
    if (refused.length > 0) {
      throw new Error(
        `The update is refused:\n${refused.join('\n')}\nAdd, use, take away, in three releases: CONTRIBUTING.md#change-a-permission-or-an-index. If you know that the update is safe, copy these lines into ${acceptedFile}.`,
      );
    }
    print('The update is safe for the versions that still run.');
  });

type Faults = { accepted: string[]; refused: string[] };

/** Returns the faults of an update, apart from each other by whether a person has accepted them. */
export async function findFaults(deployed: unknown, next: unknown): Promise<Faults> {
  const lines = (await readFile(acceptedFile, 'utf8')).split('\n');
  const faults = updateFaults(deployed, next);
  return {
    accepted: faults.filter((fault) => lines.includes(fault)),
    refused: faults.filter((fault) => !lines.includes(fault)),
  };
}

if (import.meta.main) await runCommand(checkUpdate);
