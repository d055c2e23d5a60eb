import type { TestProject } from 'vitest/node';
import { startEmbeddedDatabase } from '../../infra/local/embeddedDatabase.ts';

declare module 'vitest' {
  interface ProvidedContext {
    dynamoDbEndpoint: string;
  }
}

let stop: () => Promise<void>;

/** One embedded database in memory for the whole run; each test file has tables of its own in it. */
export async function setup(project: TestProject): Promise<void> {
  const database = await startEmbeddedDatabase();
  stop = database.stop;
  project.provide('dynamoDbEndpoint', database.endpoint);
}

export async function teardown(): Promise<void> {
  await stop();
}
