import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { defineCommand, print } from './command.ts';
import { parseStageName } from './useStage.ts';

/** What is only about this command, and its line in package.json. */
const ownFiles = ['tools/fork.ts', 'test/tools/fork.slow.test.ts'];
const ownScript = /^ *"fork": .*\n/m;

export const fork = defineCommand(
  'fork',
  'Renames this service for another resource. Run it once, before the first deployment.',
)
  .requiredOption('--resource <word>', 'the new name of "pet", such as invoice', parseWord)
  .requiredOption('--plural <word>', 'the new name of "pets", such as invoices', parseWord)
  .requiredOption('--service <word>', 'the new name of "pet store", such as billing', parseWord)
  .requiredOption('--production <stage>', 'instead of v1-production', parseStageName)
  .requiredOption('--staging <stage>', 'instead of v1-staging', parseStageName)
  .action(({ resource, plural, service, production, staging }) => {
    if (git('status', '--porcelain')) {
      throw new Error('Commit or delete your changes first, so that Git can undo the renaming.');
    }
    const title = capital(service);
    const rename = renamer({
      ...formsOf('pet', resource),
      ...formsOf('pets', plural),
      ...formsOf('petstore', service),
      ...{ PetStore: title, 'Pet Store': title, 'Pet store': title, 'pet store': title },
      ...{ 'pet-store': service, PET_STORE: service.toUpperCase() },
      ps_: `${service}_`, // the beginning of API keys
      ...{ 'v1-production': production, 'v1-staging': staging },
    });
    for (const file of ownFiles) rmSync(file);
    writeFileSync('package.json', readFileSync('package.json', 'utf8').replace(ownScript, ''));
    const files = git('ls-files', '-z').split('\0').slice(0, -1);
    for (const file of files.filter((each) => !ownFiles.includes(each))) {
      // A license keeps the names of those who wrote what it covers.
      if (!/LICENSE|\.png$/.test(file)) writeFileSync(file, rename(readFileSync(file, 'utf8')));
      mkdirSync(dirname(rename(file)), { recursive: true });
      renameSync(file, rename(file));
    }
    print(`Everything has its new name. To undo it, run: git reset --hard && git clean -fd
1. Read "Fork it" in CONTRIBUTING.md, which says what is left to decide. Delete this chapter, and the links to it
   in README.md and docs/deployment.md.
2. Run: npm run format && npm run openapi && npm run synth && npm run check
   If the types fail, a new word is also a word of the code: undo the renaming, and take another word.
3. Delete .petstore/, if it is there.`);
  });

/** Returns a function that renames all words of a text at once, so no new name is renamed again. */
function renamer(names: Record<string, string>): (text: string) => string {
  const longestFirst = Object.keys(names).sort((a, b) => b.length - a.length);
  // A name in lower case begins a word: "snippet" has none.
  const pattern = RegExp(`"integrity":.*|(?<![a-z](?=[a-z]))(${longestFirst.join('|')})`, 'g');
  return (text) => text.replace(pattern, (match) => names[match] ?? match);
}

function formsOf(old: string, name: string): Record<string, string> {
  const upper = { [old.toUpperCase()]: name.toUpperCase() };
  return { [old]: name, [capital(old)]: capital(name), ...upper };
}

function capital(word: string): string {
  return word.replace(/^./, (letter) => letter.toUpperCase());
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' });
}

function parseWord(text: string): string {
  if (/^[a-z]{2,20}$/.test(text)) return text;
  throw new InvalidArgumentError('It takes a word of 2 to 20 lower-case letters.');
}
