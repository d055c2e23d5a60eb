import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/**
 * What the SDK looks for in `~/.aws`, answered, inside a Lambda function: there is no such folder, and
 * to learn that costs some milliseconds of each cold start. Elsewhere the SDK looks for itself.
 */
export function clientSettings({
  AWS_LAMBDA_FUNCTION_NAME,
  AWS_REGION = '',
  AWS_ENDPOINT_URL,
  AWS_ENDPOINT_URL_DYNAMODB: endpoint = AWS_ENDPOINT_URL,
}: NodeJS.ProcessEnv): DynamoDBClientConfig {
  if (!AWS_LAMBDA_FUNCTION_NAME) return {};
  return {
    region: AWS_REGION,
    ...(endpoint && { endpoint }),
    ignoreConfiguredEndpointUrls: true, // but for the one above
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
