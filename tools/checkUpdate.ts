import { readFile } from 'node:fs/promises';
import { defineCommand, print, runCommand } from './command.ts';
import { updateFaults } from './updateFaults.ts';

/** The file with the faults that a person has accepted. */
const acceptedFile = '.ci/unsafeUpdates.txt';

export const checkUpdate = defineCommand(
  'check:update',
  'Refuses an update that AWS would refuse, or that breaks a version which still runs.',
)
  .argument('<deployed>', 'the file with the template that is deployed')
  .argument('<next>', 'the file with the template that replaces it')
  .addHelpText('after', `\nThe lines in ${acceptedFile} are accepted.`)
  .action(async (deployed, next) => {
    const [old, now] = await Promise.all(
      [deployed, next].map(async (file) => JSON.parse(await readFile(file, 'utf8'))),
    );
    const { accepted, refused } = await findFaults(old, now);
    for (const fault of accepted) print(`Accepted: ${fault}`);
    if (refused.length > 0) {
      throw new Error(
        `The update is refused:\n${refused.join('\n')}\nA permission or an index changes in three releases: CONTRIBUTING.md#change-a-permission-or-an-index. If you know that the update is safe, copy these lines into ${acceptedFile}.`,
      );
    }
    print('The update is safe for the versions that still run.');
  });

type Faults = { accepted: string[]; refused: string[] };

/** Returns the faults of an update: those that a person has accepted, and those that refuse it. */
export async function findFaults(old: unknown, now: unknown): Promise<Faults> {
  const lines = (await readFile(acceptedFile, 'utf8')).split('\n');
  const faults = updateFaults(old, now);
  return {
    accepted: faults.filter((fault) => lines.includes(fault)),
    refused: faults.filter((fault) => !lines.includes(fault)),
  };
}

if (import.meta.main) await runCommand(checkUpdate);
