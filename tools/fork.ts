import { isUtf8 } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
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
  .action(({ resource, plural, service, production, staging }, command) => {
    if (new Set([resource, plural, service, production, staging]).size < 5) {
      command.error(
        'error: It takes five different names. For a word of one form, such as sheep, invent a plural.',
      );
    }
    // The flags overrule the user's settings, which may hide files that the undo would delete.
    if (git('status', '--porcelain', '--untracked-files=normal', '--ignore-submodules=none')) {
      throw new Error('Commit or delete your changes first, so that Git can undo the renaming.');
    }
    if (existsSync('.petstore')) {
      throw new Error('Delete .petstore/ first: Git would not ignore it any more, nor its key.');
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
    const changes = regularFiles().map((file) => planChange(file, rename));
    const targets = changes.map(({ target }) => target);
    const taken = changes.filter(
      ({ file, target }, index) =>
        target !== file && (existsSync(target) || targets.indexOf(target) < index),
    );
    if (taken.length > 0) {
      const lines = taken.map(({ file, target }) => `\n${file} → ${target}`);
      throw new Error(`Take other words, because files have these names already:${lines.join('')}`);
    }

    print('To undo the renaming, even half way, run: git reset --hard && git clean -fd');
    for (const file of ownFiles) rmSync(file, { force: true });
    for (const { file, target, text } of changes) {
      if (text !== undefined) writeFileSync(file, text);
      mkdirSync(dirname(target), { recursive: true });
      renameSync(file, target);
    }
    print(`Everything has its new name.
1. Read "Fork it" in CONTRIBUTING.md, which says what is left to decide. Delete this chapter, and the links to it
   in README.md and docs/deployment.md.
2. Run: npm run format && npm run openapi && npm run synth && npm run check
   If the types fail, a new word is also a word of the code: undo the renaming, and take another word.`);
  });

/** Returns the files that Git can restore: no submodules, no links, and none whose changes Git is told to ignore. */
function regularFiles(): string[] {
  return git('ls-files', '-z', '-v')
    .split('\0')
    .filter((line) => line.startsWith('H '))
    .map((line) => line.slice(2))
    .filter((file) => !ownFiles.includes(file) && lstatSync(file).isFile());
}

type Change = { file: string; target: string; text?: string };

/** Reads a file. Throws if it cannot be written either. */
function planChange(file: string, rename: (text: string) => string): Change {
  const target = rename(file);
  const bytes = readFileSync(file, { flag: 'r+' });
  // A license keeps the names of those who wrote what it covers.
  if (!isUtf8(bytes) || file.includes('LICENSE')) return { file, target };
  const text = bytes.toString();
  return {
    file,
    target,
    text: rename(file === 'package.json' ? text.replace(ownScript, '') : text),
  };
}

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
