import { cp, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import { temporaryFolder } from './npmScript.ts';

/** Copies the sources, so that a test may change them. */
export async function copyOfProject(): Promise<string> {
  const project = await temporaryFolder();
  const copied = ['functions', 'infra', 'lib', 'package.json'];
  await Promise.all(copied.map((name) => cp(name, join(project, name), { recursive: true })));
  await symlink(resolve('node_modules'), join(project, 'node_modules'));
  return project;
}

/** Changes a file like git and many editors: another file takes its name. */
export async function replaceIn(file: string, text: string, replacement: string): Promise<void> {
  const source = await readFile(file, 'utf8');
  expect(source).toContain(text);
  await writeFile(`${file}.new`, source.replace(text, replacement));
  await rename(`${file}.new`, file);
}
