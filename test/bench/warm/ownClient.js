export { dynamoDbClient as client } from '../../../lib/dynamodb/client.ts';
