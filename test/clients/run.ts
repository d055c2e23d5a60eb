import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Argument } from '@commander-js/extra-typings';
import { defineCommand, print, runCommand } from '../../infra/tools/command.ts';
import { startInMemory } from '../helpers/startInMemory.ts';
import { type Generator, generators } from './generators.ts';

const int64Max = '9223372036854775807';
const cacheFolder = 'node_modules/.cache/clients';
const guide = 'docs/clients.md';

/** What each sample prints after the two lines about int64. */
const expected = ['page 2', 'page 2', '400 bad_request', '401 unauthorized', '404 not_found'];

class MissingTool extends Error {}

export const clients = defineCommand('test:clients')
  .option('--write', 'update the table in docs/clients.md', false)
  .addArgument(new Argument('[name...]', 'the clients').choices(generators.map(({ name }) => name)))
  .addHelpText('after', '\nA client whose tools are missing is skipped.')
  .action((names, { write }) => testClients(names, write));

async function testClients(names: readonly string[], mustWrite: boolean): Promise<void> {
  const chosen = generators.filter(({ name }) => names.length === 0 || names.includes(name));
  const rows = new Map<string, string>();
  for (const generator of chosen) {
    try {
      rows.set(generator.name, tableRow(generator, await testClient(generator)));
      print(`${generator.name}: passed`);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (error instanceof MissingTool)
        print(`\n!!! SKIPPED: ${generator.name}: ${error.message}\n`);
      else {
        print(`\n${generator.name}: FAILED: ${error.message}\n`);
        process.exitCode = 1;
      }
    }
  }
  compareGuide(rows, mustWrite);
}

/** Returns whether the client keeps an int64 exact. */
async function testClient({ name, install, build, run }: Generator): Promise<boolean> {
  const folder = `${cacheFolder}/${name}`;
  rmSync(`${folder}/generated`, { recursive: true, force: true });
  mkdirSync(`${folder}/generated`, { recursive: true });
  cpSync(`test/clients/${name}`, folder, { recursive: true });
  for (const command of install) {
    try {
      execute(command, folder);
    } catch (error) {
      throw new MissingTool(error instanceof Error ? error.message : String(error));
    }
  }
  for (const command of build) execute(command, folder);

  const service = await startInMemory();
  try {
    await addPets(service);
    const environment = { BASE_URL: service.baseAddress, API_KEY: service.apiKey };
    const [created, read, ...rest] = execute(run, folder, environment).trim().split('\n');
    if (rest.join() !== expected.join()) {
      throw new Error(`expected ${expected.join(', ')}, but it printed ${rest.join(', ')}`);
    }
    return created === `created ${int64Max}` && read === `read ${int64Max}`;
  } finally {
    service.stop();
  }
}

/** Runs a command and returns what it prints. Throws an error with its output if it fails. */
function execute(
  [program = '', ...args]: string[],
  cwd: string,
  environment: NodeJS.ProcessEnv = {},
): string {
  const env = { ...process.env, ...environment };
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    cwd,
    env,
    encoding: 'utf8',
    timeout: 900_000,
    maxBuffer: 100_000_000,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

/** Adds pets for two pages; the first has the largest int64. */
async function addPets({ baseAddress, apiKey }: { baseAddress: string; apiKey: string }) {
  for (const categoryId of [int64Max, '1', '2', '3']) {
    const { status } = await fetch(`${baseAddress}/pets`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      body: `{"name":"Rex","categoryId":${categoryId}}`,
    });
    if (status !== 201) throw new Error(`The service responded with ${status}.`);
  }
}

function tableRow({ title, version, flags }: Generator, isExact: boolean): string {
  const options = flags === '' ? 'none' : `\`${flags}\``;
  return `| ${title} | ${version} | ${options} | ${isExact ? 'exact' : 'rounded beyond 2^53'} |`;
}

/** Fails if the guide has another row for a client; `--write` replaces the row. */
function compareGuide(rows: Map<string, string>, mustWrite: boolean): void {
  let text = readFileSync(guide, 'utf8');
  for (const [name, row] of rows) {
    if (text.includes(row)) continue;
    const [title = ''] = /^\| .+? \|/.exec(row) ?? [];
    text = text.replace(new RegExp(`^${RegExp.escape(title)}.*$`, 'm'), () => row);
    if (mustWrite) continue;
    print(`\n${guide} has another row for ${name}. Update it with --write:\n${row}\n`);
    process.exitCode = 1;
  }
  if (mustWrite) writeFileSync(guide, text);
}

if (import.meta.main) await runCommand(clients);
