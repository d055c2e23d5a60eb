/**
 * Stands for `@aws-sdk/credential-provider-node` in the bundles.
 *
 * Lambda puts the role's credentials into the environment, so none of the other places is looked at,
 * and none of the clients that would look there is shipped.
 */
export function defaultProvider() {
  return async () => credentials;
}

const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
  throw new Error('This bundle is for Lambda: AWS_ACCESS_KEY_ID or its secret is not set.');
}

/** They do not change while an instance lives, and to read the environment takes its time. */
const credentials = {
  accessKeyId: AWS_ACCESS_KEY_ID,
  secretAccessKey: AWS_SECRET_ACCESS_KEY,
  ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
};
