import type { TestProject } from 'vitest/node';
import { startEmbeddedDatabase } from '../../infra/local/localDatabase.ts';

declare module 'vitest' {
  interface ProvidedContext {
    dynamoDbEndpoint: string;
  }
}

let stop = async () => {};

/**
 * Starts one engine in memory for the whole run. Each test file has its own tables in it.
 *
 * Its access key is that of `isolatedStage.ts`. TEST_DYNAMODB_ENDPOINT names another engine to use instead.
 */
export async function setup(project: TestProject): Promise<void> {
  const { TEST_DYNAMODB_ENDPOINT: endpoint } = process.env;
  if (endpoint) return project.provide('dynamoDbEndpoint', endpoint);
  const database = await startEmbeddedDatabase(undefined, 'local');
  stop = database.stop;
  project.provide('dynamoDbEndpoint', database.endpoint);
}

export async function teardown(): Promise<void> {
  await stop();
}
