import { devNull } from 'node:os';

/**
 * Points the AWS SDK of this process to an engine, even if the user's shell or `~/.aws` say otherwise.
 *
 * The SDK requires a Region and a secret. The engine reads neither.
 */
export function pointSdkTo(engine: { endpoint: string; accessKeyId: string }): void {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('AWS_')) delete process.env[name];
  }
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
    AWS_REGION: 'local',
    AWS_ACCESS_KEY_ID: engine.accessKeyId,
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
  });
}
