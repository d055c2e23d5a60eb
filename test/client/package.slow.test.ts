import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
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

const program = `const petStore = client.createPetStoreClient({
  baseAddress: '${baseAddress}',
  apiKey: process.env.API_KEY,
});
petStore.listPets().then(({ pets }) => console.log(pets[0]?.id));
`;

const tarballs = await temporaryFolder();
await run('npm', ['pack', '--pack-destination', tarballs], { cwd: 'client' });
const [filename = ''] = await readdir(tarballs);
const tarball = join(tarballs, filename);

const readme = await readFile('client/README.md', 'utf8');
const [, tourOfReadme = ''] = /```ts\n(.*?)```/s.exec(readme) ?? [];

describe('petstore-client', () => {
  it('compiles in strict TypeScript and runs, imported and required', async () => {
    const folder = await temporaryFolder();
    // As `npm install` does for a package without dependencies.
    const installed = join(folder, 'node_modules', 'petstore-client');
    await mkdir(installed, { recursive: true });
    await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);
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

  it('contains the build, its documents and nothing else', async () => {
    const { stdout } = await run('tar', ['-tzf', tarball]);

    const files = stdout.trim().split('\n');
    const others = files.filter((path) => !/^package\/dist\/\w+(\.d)?\.[jt]s$/.test(path));
    const documents = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'];
    expect(others.sort()).toEqual(documents.map((name) => `package/${name}`));
  });

  it('has its version in its changelog', async () => {
    const changelog = await readFile('client/CHANGELOG.md', 'utf8');
    const [, newest] = /^## (\S+)$/m.exec(changelog) ?? [];
    expect(filename).toBe(`petstore-client-${newest}.tgz`);
  });
});
