// The file that Lambda loads. It runs the bundle beside it, with what V8 made of it at the build.
//
// V8 takes that code cache where Node.js is of the same version, build and flags, and compiles the
// text otherwise. A bundle is not imported, because V8 keeps no cache of an ESM module for us.

const { existsSync, readFileSync } = process.getBuiltinModule('node:fs');
const { Script } = process.getBuiltinModule('node:vm');

const filename = `${import.meta.dirname}/bundle.js`;
const cacheFile = `${import.meta.dirname}/bundle.cache`;

const script = new Script(readFileSync(filename, 'latin1'), {
  filename,
  ...(existsSync(cacheFile) && { cachedData: readFileSync(cacheFile) }),
});
const bundle = { exports: {} };
script.runInThisContext()(bundle);
await bundle.exports.warmUp?.();

export const { handler } = bundle.exports;
