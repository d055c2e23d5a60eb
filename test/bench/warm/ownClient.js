import { dynamoDbClient } from '../../../lib/dynamodb/client.ts';
import { callsThrough } from './callsThrough.js';

export const handler = callsThrough(dynamoDbClient);
