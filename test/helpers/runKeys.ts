import { config } from '../../lib/config.ts';
import { keys as keysCommand } from '../../tools/keys.ts';
import { interceptDatabase } from './database.ts';
import { runCommandHere } from './runCommandHere.ts';

export const keyForm = /ps_[\w-]+_[A-Za-z0-9]{49}/;
export const idForm = /key_[\da-f]{12}/;

export const ownStage = ['--stage', config().stage];

/** Runs the command. */
export const keys = (...args: string[]) => runCommandHere(keysCommand, args);

/** Returns the first text of a form in an output. */
export const first = (form: RegExp, output: string) => form.exec(output)?.[0] ?? '';

/** Creates a key and returns its id. */
export async function createKey(name: string, ...args: string[]): Promise<string> {
  const { stdout } = await keys('create', ...ownStage, '--name', name, ...args);
  return first(idForm, stdout);
}

/** Lets a function send the first request of an action. Returns the growing list of all actions. */
export function onFirst(
  name: string,
  send: (pass: () => Promise<unknown>) => Promise<unknown>,
): string[] {
  let isFirst = true;
  return interceptDatabase(({ action, pass }) => {
    if (action !== name || !isFirst) return pass();
    isFirst = false;
    return send(pass);
  });
}

/** The rows of the list for a client. */
export async function listed(name: string): Promise<string[][]> {
  const { stdout } = await keys('list', ...ownStage);
  const rows = stdout.split('\n').map((line) => line.split(/ {2,}/));
  return rows.filter((row) => row.at(-1) === name);
}
