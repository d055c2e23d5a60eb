import { globalAgent } from 'node:https';

/**
 * The requests of an AWS client that uses the proxy of `HTTPS_PROXY` where `NODE_USE_ENV_PROXY` is
 * set, as `fetch` does. The SDK's own agent reads neither.
 */
export const throughProxy = { httpsAgent: globalAgent };
