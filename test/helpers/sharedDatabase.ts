import type { TestProject } from 'vitest/node';
import { startEmbeddedDatabase } from '../../local/localDatabase.ts';

declare module 'vitest' {
  interface ProvidedContext {
    dynamoDbEndpoint: string;
  }
}

/**
 * Starts one engine in memory for the whole run, and returns how to stop it. Each test file has its own tables.
 *
 * Its access key is that of `isolatedStage.ts`. TEST_DYNAMODB_ENDPOINT names another engine to use instead.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { endpoint, stop } = await startEmbeddedDatabase(undefined, 'local');
  project.provide('dynamoDbEndpoint', process.env.TEST_DYNAMODB_ENDPOINT || endpoint);
  return stop;
}
