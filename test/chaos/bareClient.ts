import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** The SDK with nothing of the service's own settings, straight to the engine. */
export function bareClient(endpoint: string): DynamoDBClient {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return new DynamoDBClient({ endpoint, region: 'local', credentials });
}
