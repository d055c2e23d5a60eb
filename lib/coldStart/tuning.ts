// Settings that make the SDK faster, through its public options. docs/performance.md has what each one
// gains.

import type { Readable } from 'node:stream';
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/**
 * Returns the settings that the SDK would otherwise look up in `~/.aws`.
 *
 * A Lambda function has no such folder, and looking for it costs milliseconds of each cold start.
 * Outside Lambda the SDK looks them up itself.
 */
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

/**
 * Reads a stream to its end.
 *
 * The SDK's own collector loads Node.js's web streams to check the type of the stream, and copies
 * each chunk.
 */
export function collectStream(stream: Readable): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.once('end', () => resolve(Buffer.concat(chunks)));
    stream.once('error', reject);
  });
}
