import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startProcess } from './helpers/npmScript.ts';
import { copyOfProject, replaceIn } from './helpers/projectCopy.ts';

// Adds an optional field to a copy of the project, as CONTRIBUTING.md says. test/petFields.test.ts
// names what the compiler cannot see.

/** The types of the CDK would double the compiler's time. */
const withoutCdk = [
  'client/src',
  'functions',
  'infra/openapi',
  'lib',
  'test/client/types.test.ts',
  'test/petFields.test.ts',
];

/** Returns what the compiler prints about these parts of a project. */
async function compile(project: string, include: string[]): Promise<string> {
  const configuration = join(project, 'tsconfig.parts.json');
  await writeFile(configuration, JSON.stringify({ extends: './tsconfig.json', include }));
  const tsc = 'node_modules/typescript/bin/tsc';
  const compiler = startProcess(process.execPath, [tsc, '--project', configuration], {}, project);
  await compiler.exited;
  return compiler.stdout;
}

it('a field that only the schemas and the client have is missing in places that the compiler names', async () => {
  const project = await copyOfProject();
  for (const name of ['client/src', 'test/client', 'test/helpers', 'test/petFields.test.ts']) {
    await cp(name, join(project, name), { recursive: true });
  }
  await cp('tsconfig.json', join(project, 'tsconfig.json'));
  const schemas = join(project, 'lib/schemas.ts');
  await replaceIn(schemas, "'available'),", "'available'), color: z.optional(z.string()),");
  await replaceIn(
    schemas,
    'status: PetStatus,',
    'status: PetStatus, color: z.optional(z.string()),',
  );
  const clientTypes = join(project, 'client/src/types.ts');
  await replaceIn(clientTypes, 'status: PetStatus;', 'status: PetStatus; color?: string;');

  const output = await compile(project, withoutCdk);

  const errors = output.matchAll(/^(\S+)\(.+'color' is missing/gm);
  expect([...new Set([...errors].map(([, file]) => file))].sort()).toEqual([
    'client/src/createPetStoreClient.ts',
    'infra/openapi/texts.ts',
    'lib/pets/petItem.ts',
    'test/petFields.test.ts',
  ]);
  expect(output).toMatch(/^test\/client\/types.test.ts\(.+color/m);
}, 60_000);
