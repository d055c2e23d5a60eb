import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { apiKey } from '../helpers/api.ts';
import { startGateway } from '../helpers/gateway.ts';
import { temporaryFolder } from '../helpers/npmScript.ts';

const run = promisify(execFile);

const bin = resolve('node_modules/.bin');

const { baseAddress } = await startGateway();

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

/** A fork renames the package, and may keep the name in the README. */
const packedName = (code: string) => code.replace("'petstore-client'", `'${name}'`);

const program = `const petStore = client.createPetStoreClient({
  baseAddress: '${baseAddress}',
  apiKey: process.env.API_KEY,
});
petStore.listPets().then(({ pets }) => console.log(pets[0]?.id));
`;

// The README installs what matches this name, and npm takes the oldest.
const oldTarball = 'petstore-client-0.0.0.tgz';
await writeFile(oldTarball, '');

const tarballs = await temporaryFolder();
const packing = await run(
  'npm',
  ['run', '--silent', 'client', '--', '--json', '--pack-destination', tarballs],
  // Many people set this, which skips the lifecycle scripts of a package.
  { env: { ...process.env, npm_config_ignore_scripts: 'true' } },
);
type Packed = { name: string; version: string; filename: string; files: { path: string }[] };
const [{ name, version, filename, files }]: [Packed] = JSON.parse(packing.stdout);
const tarball = join(tarballs, filename);

const readme = await readFile('client/README.md', 'utf8');
const [, tourOfReadme = ''] = /```ts\n(.*?)```/s.exec(readme) ?? [];

describe('petstore-client', () => {
  it('compiles in strict TypeScript and runs, imported and required', async () => {
    const folder = await temporaryFolder();
    // As `npm install` does for a package without dependencies.
    const installed = join(folder, 'node_modules', name);
    await mkdir(installed, { recursive: true });
    await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);
    const sources = {
      'package.json': '{"type":"module"}',
      'tsconfig.json': JSON.stringify(strictConfig),
      'tour.ts': tourOfReadme.replace('http://localhost:3000/v1', baseAddress),
      'typed.cts': `import client = require('petstore-client');\n${program}`,
      'plain.cjs': `const client = require('petstore-client');\n${program}`,
    };
    for (const [file, text] of Object.entries(sources)) {
      await writeFile(join(folder, file), packedName(text));
    }
    const runProgram = (file: string) =>
      run(process.execPath, [join(folder, file)], { env: { API_KEY: apiKey } });

    const [, tour] = await Promise.all([
      run(join(bin, 'tsc'), ['--project', folder]),
      runProgram('tour.ts'),
    ]);
    const plain = await runProgram('plain.cjs');

    const comments = [...tourOfReadme.matchAll(/ \/\/ (.+\n)/g)].map(([, comment]) => comment);
    expect(tour.stdout).toBe(comments.join(''));
    expect(plain).toEqual({ stdout: '1n\n', stderr: '' });
  });

  it('contains the build of each source, its documents and nothing else', async () => {
    const built = globSync('client/src/*.ts').flatMap((file) =>
      ['.js', '.d.ts'].map((extension) => `dist/${basename(file, '.ts')}${extension}`),
    );

    const documents = ['LICENSE', 'README.md', 'package.json'];
    expect(files.map(({ path }) => path).sort()).toEqual([...built, ...documents].sort());
  });

  it('leaves no tarball of an earlier version beside it', () => {
    expect(existsSync(oldTarball)).toBe(false);
  });

  it('has its version in the changelog of the guide', async () => {
    const changelog = await readFile('docs/guide/changelog.md', 'utf8');

    expect(changelog).toContain(`\`petstore-client\` ${version}`);
  });
});
