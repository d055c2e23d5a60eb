import * as nodeCrypto from 'node:crypto';

/**
 * Replaces the global `crypto` in the bundles: that is Web Crypto, which Node.js loads at its first use.
 * Both have `randomUUID`.
 */
export { nodeCrypto as crypto };
