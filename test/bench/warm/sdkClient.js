import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { lambdaSettings } from '../../../lib/dynamodb/tuning.ts';

/** The SDK's client with its defaults, except the logger, which doubles the time of a list. */
export const client = new DynamoDBClient(lambdaSettings(process.env));
client.middlewareStack.remove('loggerMiddleware');
