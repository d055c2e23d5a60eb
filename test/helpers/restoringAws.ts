import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { config } from '../../lib/config.ts';
import { describeStacksResponse } from './describeStacksResponse.ts';
import { listen } from './listen.ts';

type Input = Record<string, unknown>;

/** Handles an action instead of the engine, unless it returns undefined. */
type Handler = (input: Input) => Promise<object | undefined>;

/** An error response of DynamoDB. */
export class AwsError extends Error {
  constructor(name: string) {
    super(`${name} by the test`);
    this.name = name;
  }
}

/**
 * Fakes AWS for a restore: a stack with the pets table of this test file, and a DynamoDB in which some
 * actions are faked or disturbed. Everything else goes to the embedded engine.
 *
 * Returns the environment for a command.
 */
export async function restoringAws(handlers: Record<string, Handler>) {
  const stacks = describeStacksResponse('PetsTableName', config().petsTableName);
  const cloudFormation = await listen((_, response) => response.end(stacks));
  const dynamoDb = await listen(async (request, response) => {
    const body = await text(request);
    const action = String(request.headers['x-amz-target']).replace('DynamoDB_20120810.', '');
    try {
      const output = await handlers[action]?.(JSON.parse(body));
      if (output) return response.end(JSON.stringify(output));
    } catch (error) {
      const { name, message } = error as AwsError;
      return response.writeHead(400).end(JSON.stringify({ __type: name, message }));
    }
    const { host: _, ...headers } = request.headers as Record<string, string>;
    const result = await fetch(inject('dynamoDbEndpoint'), { method: 'POST', headers, body });
    return response.writeHead(result.status).end(Buffer.from(await result.arrayBuffer()));
  });
  return { AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation, AWS_ENDPOINT_URL_DYNAMODB: dynamoDb };
}
