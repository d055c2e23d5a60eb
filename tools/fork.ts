import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { localStage } from '../local/localStage.ts';
import { defineCommand, print } from './command.ts';
import { parseStageName } from './useStage.ts';

/** A worktree of Git, which gets the new names first. In the project's folder, it finds the packages. */
const copy = '.fork';

/** The data of `npm start`. Git ignores them, and nothing in them has a name to change. */
const dataFolder = `${localStage.dataFolder}/`;

/** The lines of the project that are only about this command. */
const linesOfThisCommand = /^.*("fork"|run fork|test:fork).*\n\n?/gm;

/** The scripts that npm runs in the copy. A new word that is a word of the code fails in the first two. */
const scripts = ['openapi', 'check:types', 'format', 'synth'];

export const fork = defineCommand(
  'fork',
  'Makes a service of another resource of this one, once, before the first deployment.',
)
  .requiredOption('--resource <word>', 'the new name of "pet", such as invoice', parseWord)
  .option('--plural <word>', 'its plural in paths; without it, the resource with an s', parseWord)
  .requiredOption('--service <word>', 'the new name of "pet store", such as billing', parseWord)
  .requiredOption('--production <stage>', 'instead of v1-production', parseStageName)
  .requiredOption('--staging <stage>', 'instead of v1-staging', parseStageName)
  .action(({ resource, plural = pluralOf(resource), service, production, staging }) => {
    if (plural === resource) fork.error('error: --plural must differ from --resource.');
    // A hook of Git names the repository in variables, which would lead Git past the copy.
    for (const name of Object.keys(process.env)) {
      if (name.startsWith('GIT_')) delete process.env[name];
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
    refuseUnsafeFolder(rename);
    git(['worktree', 'add', '--quiet', '--detach', copy]);
    // Ctrl+C ends the running step. The copy is then removed, as after any failure.
    process.on('SIGINT', () => {});
    try {
      // The project may be a folder of a larger repository.
      const folder = join(copy, git(['rev-parse', '--show-prefix']).trim());
      renameFiles(folder, rename);
      // The user's own gitignore may name a new file. The copy has only what Git tracks.
      git(['add', '--all', '--force'], folder);
      for (const script of scripts) runScript(script, folder);
      git(['add', '--all'], folder);
      git(['read-tree', '-m', '-u', 'HEAD', git(['write-tree'], folder).trim()]);
    } catch (cause) {
      const { message } = cause as Error;
      const advice = 'If a new word is also a word of the code, take another one.';
      throw new Error(`${message}\nNothing has changed here. ${advice}`, { cause });
    } finally {
      git(['worktree', 'remove', '--force', copy]);
    }
    print(`Everything has its new name. "git diff --cached" shows the changes, and "git reset --hard" undoes them.
CONTRIBUTING.md, *Fork it*, says what you decide next: the fields, the filter, the deprecation, the settings,
and what is yours: license, changelogs, icon, README.md and SECURITY.md.`);
    if (existsSync(dataFolder))
      print(`Delete ${dataFolder}, which the new .gitignore does not name.`);
  });

/** Returns a function that renames all words of a text at once, so no new name is renamed again. */
function renamer(names: Record<string, string>): (text: string) => string {
  const longestFirst = Object.keys(names).sort((a, b) => b.length - a.length);
  // A name in lower case begins a word: "snippet" has none.
  const oldName = `(?<![a-z](?=[a-z]))(${longestFirst.join('|')})`;
  const pattern = RegExp(`"integrity":.*|(?:\\b([Aa])( \`?))?${oldName}`, 'g');
  return (text) =>
    text.replaceAll(pattern, (match, article = '', gap = '', old = '') => {
      const name = names[old];
      if (name === undefined) return match;
      // "an invoice", but "a bill" and "a user"
      const n = article && /^(?!eu|one|uni|us[ae]|uti)[aeiou]/i.test(name) ? 'n' : '';
      return `${article}${n}${gap}${name}`;
    });
}

function formsOf(old: string, name: string): Record<string, string> {
  const upper = { [old.toUpperCase()]: name.toUpperCase() };
  return { [old]: name, [capital(old)]: capital(name), ...upper };
}

function capital(word: string): string {
  return word.replace(/^./, (letter) => letter.toUpperCase());
}

/** Throws if the command could not be undone, or if files would keep their old names or no longer be ignored. */
function refuseUnsafeFolder(rename: (text: string) => string): void {
  git(['ls-files', '--error-unmatch', 'package.json']);
  const changed = namesIn(git(['status', '--porcelain', '-z', '--no-renames']));
  if (changed[0])
    throw new Error(`Commit or delete these first: ${changed.map((each) => each.slice(3))}`);
  const ignored = git(['ls-files', '-z', '-oi', '--exclude-standard', '--directory']);
  const old = namesIn(ignored).filter((file) => file !== dataFolder && rename(file) !== file);
  if (old[0]) throw new Error(`Delete these first, which the new .gitignore does not name: ${old}`);
}

function renameFiles(folder: string, rename: (text: string) => string): void {
  const own = ['tools/fork.ts', 'test/fork.ts', 'test/tools/fork.slow.test.ts'];
  git(['rm', '--quiet', ...own], folder);
  const files = namesIn(git(['ls-files', '-z'], folder));
  const newNames = new Set(files.map((file) => rename(file).toLowerCase()));
  if (newNames.size < files.length) throw new Error('Two files would have the same name.');
  for (const file of files) {
    const path = join(folder, file);
    const newPath = join(folder, rename(file));
    if (!/CHANGELOG|LICENSE|\.png$/.test(file)) {
      const text = readFileSync(path, 'utf8').replaceAll(linesOfThisCommand, '');
      writeFileSync(path, rename(text));
    }
    mkdirSync(dirname(newPath), { recursive: true });
    renameSync(path, newPath);
  }
}

/** Splits the output of an option `-z`. */
function namesIn(output: string): string[] {
  return output.split('\0').slice(0, -1);
}

function git(args: string[], cwd = '.'): string {
  return run('git', args, cwd, `git ${args[0]}`);
}

function runScript(script: string, cwd: string): void {
  const name = `npm run ${script}`;
  print(`${name} …`);
  // npm names its own file, because Windows starts no npm.cmd without a shell.
  const npm = process.env.npm_execpath ?? '';
  run(process.execPath, [npm, 'run', '--silent', script], cwd, name);
}

/** Returns the output of a program. Throws the first lines of it if the program fails. */
function run(program: string, args: string[], cwd: string, name: string): string {
  const options = { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 } as const;
  const { status, signal, error, stdout, stderr } = spawnSync(program, args, options);
  if (status === 0) return stdout;
  const lines = `${stdout}${stderr}`.trim().split('\n', 20);
  throw new Error(`"${name}" failed: ${error?.message ?? signal ?? lines.join('\n')}`);
}

function pluralOf(resource: string): string {
  if (!/(s|x|z|ch|sh|y)$/.test(resource)) return `${resource}s`;
  return fork.error(`error: The plural of "${resource}" is not "${resource}s": add --plural.`);
}

function parseWord(text: string): string {
  if (/^[a-z]{2,20}$/.test(text)) return text;
  throw new InvalidArgumentError('It takes a word of 2 to 20 lower-case letters.');
}
