// The file that Lambda loads. It runs the bundle beside it, with what V8 made of it at the build.
//
// The code cache is for one version of Node.js and one processor, which its name says; where they are
// others, or V8 refuses it, the text is compiled. A bundle is not imported, because V8 keeps no cache
// of an ESM module for us.

const { existsSync, readFileSync } = process.getBuiltinModule('node:fs');
const { Script } = process.getBuiltinModule('node:vm');

const filename = `${import.meta.dirname}/bundle.js`;
const { version, arch } = process;
const cacheFile = `${import.meta.dirname}/bundle-${version}-${arch}.cache`;

const script = new Script(readFileSync(filename, 'latin1'), {
  filename,
  ...(existsSync(cacheFile) && { cachedData: readFileSync(cacheFile) }),
});
const bundle = { exports: {} };
script.runInThisContext()(bundle);
await bundle.exports.warmUp?.();

export const { handler } = bundle.exports;
