import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientSettings } from '../../../lib/dynamodb/tuning.ts';
import { callsThrough } from './callsThrough.js';

// The SDK's client as it comes, but for its logger, which is off and would double what a list costs.
const client = new DynamoDBClient(clientSettings(process.env));
client.middlewareStack.remove('loggerMiddleware');

export const handler = callsThrough(client);
