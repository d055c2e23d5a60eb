import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { Argument } from '@commander-js/extra-typings';
import { createPetStoreClient } from '../../client/src/createPetStoreClient.ts';
import { defineCommand, print, runCommand } from '../../infra/tools/command.ts';
import { startLocalService } from '../helpers/startLocalService.ts';
import { type Generator, generators } from './generators.ts';

const int64Max = 9223372036854775807n;
const cacheFolder = 'node_modules/.cache/clients';
const binFolder = resolve('node_modules/.bin');
const guide = 'docs/clients.md';

/** The output of each sample after the two lines about int64. */
const expected = ['page 2', 'page 2', '400 bad_request', '401 unauthorized', '404 not_found'];

class MissingTool extends Error {}

export const clients = defineCommand(
  'test:clients',
  'Generates clients in several languages, and runs them against the local service.',
)
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
  cpSync('openapi.json', `${folder}/openapi.json`);
  for (const command of install) {
    try {
      execute(command, folder);
    } catch (error) {
      throw new MissingTool(error instanceof Error ? error.message : String(error));
    }
  }
  for (const command of build) execute(command, folder);

  const service = await startLocalService(['--in-memory']);
  try {
    const petStore = createPetStoreClient(service);
    // For two pages. The first pet has the largest int64.
    for (const categoryId of [int64Max, 1n, 2n, 3n]) {
      await petStore.createPet({ name: 'Rex', categoryId });
    }
    const environment = { BASE_URL: service.baseAddress, API_KEY: service.apiKey };
    const [created, read, ...rest] = execute(run, folder, environment).trim().split('\n');
    if (rest.join() !== expected.join()) {
      throw new Error(`expected ${expected.join(', ')}, but it printed ${rest.join(', ')}`);
    }
    return created === `created ${int64Max}` && read === `read ${int64Max}`;
  } finally {
    await service.stop();
  }
}

/** Runs a command line and returns what it prints. Throws an error with its output if it fails. */
function execute(command: string, cwd: string, environment: NodeJS.ProcessEnv = {}): string {
  const { status, error, stdout, stderr } = spawnSync(command, {
    shell: true,
    cwd,
    // The `node`, `tsc` and `esbuild` of this project come first.
    env: { ...process.env, PATH: `${binFolder}${delimiter}${process.env.PATH}`, ...environment },
    encoding: 'utf8',
    timeout: 900_000,
    maxBuffer: 100_000_000,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command}\n${stdout}${stderr}`);
  return stdout;
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
