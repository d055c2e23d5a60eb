import { dynamoDbClient } from '../../../lib/dynamoDb.ts';
import { callsThrough } from './callsThrough.js';

export const handler = callsThrough(dynamoDbClient);
