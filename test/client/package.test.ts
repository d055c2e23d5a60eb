import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { apiKey } from '../helpers/api.ts';
import { startGateway } from '../helpers/gateway.ts';
import { temporaryFolder } from '../helpers/npmScript.ts';

const run = promisify(execFile);

const bin = resolve('node_modules/.bin');

const { baseAddress } = await startGateway();

type Packed = { filename: string; files: { path: string }[] };

/** The configuration of a user who also checks the declarations of the package. */
const strictConfig = {
  compilerOptions: {
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    target: 'es2024',
    lib: ['es2024'],
    module: 'nodenext',
    types: ['node'],
    typeRoots: [resolve('node_modules/@types')],
  },
  files: ['tour.ts', 'typed.cts'],
};

const program = `const petStore = client.createPetStoreClient({
  baseAddress: '${baseAddress}',
  apiKey: process.env.API_KEY,
});
petStore.listPets().then(({ pets }) => console.log(pets[0]?.id));
`;

/** Packs the client as `npm publish` does. */
async function pack(folder: string): Promise<Packed> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: 'client',
  });
  // The output of the build may come first.
  const [packed] = JSON.parse(stdout.slice(stdout.search(/^\[/m))) as Packed[];
  if (!packed) throw new Error(`Nothing was packed: ${stdout}`);
  return packed;
}

/** The first example of the client's README. */
async function readTour(): Promise<string> {
  const readme = await readFile('client/README.md', 'utf8');
  return /```ts\n(.*?)```/s.exec(readme)?.[1] ?? '';
}

const tarballs = await mkdtemp(join(tmpdir(), 'petstore-client-'));
const { filename, files } = await pack(tarballs);
const tarball = join(tarballs, filename);
afterAll(() => rm(tarballs, { recursive: true }));

describe('petstore-client', () => {
  it('compiles in strict TypeScript and runs, imported and required', async () => {
    const folder = await temporaryFolder();
    // As `npm install` does for a package without dependencies.
    const installed = join(folder, 'node_modules', 'petstore-client');
    await mkdir(installed, { recursive: true });
    await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);
    const tourOfReadme = await readTour();
    const sources = {
      'package.json': '{"type":"module"}',
      'tsconfig.json': JSON.stringify(strictConfig),
      'tour.ts': tourOfReadme.replace('http://localhost:3000/v1', baseAddress),
      'typed.cts': `import client = require('petstore-client');\n${program}`,
      'plain.cjs': `const client = require('petstore-client');\n${program}`,
    };
    for (const [name, text] of Object.entries(sources)) await writeFile(join(folder, name), text);
    const runProgram = (name: string) =>
      run(process.execPath, [join(folder, name)], { env: { API_KEY: apiKey } });

    const [, tour] = await Promise.all([
      run(join(bin, 'tsc'), ['--project', folder]),
      runProgram('tour.ts'),
    ]);
    const plain = await runProgram('plain.cjs');

    const comments = [...tourOfReadme.matchAll(/ \/\/ (.+\n)/g)].map(([, comment]) => comment);
    expect(tour.stdout).toBe(comments.join(''));
    expect(plain).toEqual({ stdout: '1n\n', stderr: '' });
  });

  it('contains the build, its documents and nothing else', () => {
    const others = files
      .map(({ path }) => path)
      .filter((path) => !/^dist\/\w+(\.d)?\.[jt]s$/.test(path));

    expect(others).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
  });

  it('has its version in its changelog and its README', async () => {
    const changelog = await readFile('client/CHANGELOG.md', 'utf8');
    const [, newest] = /^## (\S+)$/m.exec(changelog) ?? [];
    expect(filename).toBe(`petstore-client-${newest}.tgz`);
    expect(await readFile('client/README.md', 'utf8')).toContain(`/${filename} `);
  });
});
