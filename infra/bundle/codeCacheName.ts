/**
 * The file with V8's code cache, as `lib/lambda/index.mjs` asks for it.
 *
 * It names the Node.js that made it. V8 refuses the cache of another version, but compares no
 * processor, and the machine that builds may have another one than Lambda.
 */
export const codeCacheName = `bundle-${process.version}-${process.arch}.cache`;
