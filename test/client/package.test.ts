import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { apiKey } from '../helpers/api.ts';
import { startLocalService } from '../helpers/gateway.ts';
import { temporaryFolder } from '../helpers/npmScript.ts';

const run = promisify(execFile);

const { baseAddress } = await startLocalService();

type Packed = { filename: string; files: { path: string }[] };

/** The configuration of a user who also checks the declarations of the package. */
const strictConfig = {
  compilerOptions: {
    noEmit: true,
    strict: true,
    target: 'es2024',
    lib: ['es2024'],
    module: 'nodenext',
    types: ['node'],
    typeRoots: [resolve('node_modules/@types')],
  },
  files: ['tour.ts'],
};

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

describe('petstore-client', () => {
  it('compiles and runs the tour of its README, packed and installed', async () => {
    const folder = await temporaryFolder();
    const { filename, files } = await pack(folder);
    // As `npm install` does for a package without dependencies.
    const installed = join(folder, 'node_modules', 'petstore-client');
    await mkdir(installed, { recursive: true });
    await run('tar', ['-xzf', join(folder, filename), '--strip-components=1', '-C', installed]);
    const tour = (await readTour()).replace('http://localhost:3000/v1', baseAddress);
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'tour.ts'), tour);
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(strictConfig));

    const [, { stdout }] = await Promise.all([
      run('node_modules/.bin/tsc', ['--project', folder]),
      run(process.execPath, [join(folder, 'tour.ts')], { env: { API_KEY: apiKey } }),
    ]);

    expect(stdout).toBe('1n 9223372036854775807n available\nRex\n');
    expect(
      files.map(({ path }) => path).filter((path) => !/^dist\/\w+(\.d)?\.[jt]s$/.test(path)),
    ).toEqual(['LICENSE', 'README.md', 'package.json']);
  });
});
