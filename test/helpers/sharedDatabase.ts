import type { TestProject } from 'vitest/node';
import { startEmbeddedDatabase } from '../../infra/local/localDatabase.ts';

declare module 'vitest' {
  interface ProvidedContext {
    dynamoDbEndpoint: string;
  }
}

let stop = async () => {};

/**
 * One DynamoDB in memory for the whole run; each test file has tables of its own in it.
 *
 * That is the embedded engine, or the one that TEST_DYNAMODB_ENDPOINT names.
 */
export async function setup(project: TestProject): Promise<void> {
  const { TEST_DYNAMODB_ENDPOINT: endpoint } = process.env;
  if (endpoint) return project.provide('dynamoDbEndpoint', endpoint);
  const database = await startEmbeddedDatabase();
  stop = database.stop;
  project.provide('dynamoDbEndpoint', database.endpoint);
}

export async function teardown(): Promise<void> {
  await stop();
}
