// Settings that make the SDK faster. docs/performance.md has what each one gains.

import type { Readable } from 'node:stream';
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/** Returns the settings that the SDK would otherwise look up in `~/.aws`, a folder that Lambda lacks. */
export function lambdaSettings({
  AWS_LAMBDA_FUNCTION_NAME,
  AWS_REGION = '',
  AWS_ENDPOINT_URL,
  AWS_ENDPOINT_URL_DYNAMODB: endpoint = AWS_ENDPOINT_URL,
}: NodeJS.ProcessEnv): DynamoDBClientConfig {
  if (!AWS_LAMBDA_FUNCTION_NAME) return {};
  return {
    region: AWS_REGION,
    ...(endpoint && { endpoint }),
    ignoreConfiguredEndpointUrls: true, // except the one above
    accountIdEndpointMode: 'disabled',
    authSchemePreference: [],
    defaultsMode: 'legacy',
    disableClockSkewCorrection: false,
    endpointDiscoveryEnabledProvider: async () => false,
    retryMode: 'standard',
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    userAgentAppId: '',
  };
}

/** Reads a stream to its end. The SDK's own collector loads web streams and copies each chunk. */
export function collectStream(stream: Readable): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.once('end', () => resolve(Buffer.concat(chunks)));
    stream.once('error', reject);
  });
}
