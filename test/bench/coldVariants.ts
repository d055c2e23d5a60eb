import { globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, transform } from 'esbuild';
import { bundleFunction } from '../../infra/bundle/bundleFunction.ts';
import { codeCacheName } from '../../infra/bundle/codeCacheName.ts';
import type { MeasuredOperation } from './events.ts';

const projectRoot = join(import.meta.dirname, '..', '..');

/** A deployed function: what Lambda has as `LAMBDA_TASK_ROOT` and `_HANDLER`. */
export type Deployment = { taskRoot: string; handler: string };

export type Variant = {
  name: string;
  description: string;
  /** Whether it is the pet service, so that its answers are those of ours. */
  isService: boolean;
  deploy(operation: MeasuredOperation, folder: string): Promise<Deployment>;
};

/** What a CommonJS package needs inside an ESM bundle. */
const requireBanner = {
  js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
};

const plainOptions = {
  absWorkingDir: projectRoot,
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  banner: requireBanner,
} as const;

/** A peer is bundled as its users would, and with the field that spares them CommonJS. */
function peer(name: string, description: string, isService = true): Variant {
  return {
    name,
    description,
    isService,
    async deploy(_operation, folder) {
      await build({
        ...plainOptions,
        mainFields: ['module', 'main'],
        entryPoints: [join(import.meta.dirname, 'peers', `${name}.js`)],
        outfile: join(folder, 'index.mjs'),
      });
      return { taskRoot: folder, handler: 'index.handler' };
    },
  };
}

export const variants: readonly Variant[] = [
  {
    name: 'service',
    description: 'this service, as it is deployed',
    isService: true,
    async deploy(operation, folder) {
      await bundleFunction(operation, folder);
      return { taskRoot: folder, handler: 'index.handler' };
    },
  },
  {
    name: 'refused',
    description: 'this service where V8 refuses the code cache',
    isService: true,
    async deploy(operation, folder) {
      await bundleFunction(operation, folder);
      const cacheFile = join(folder, codeCacheName);
      const codeCache = readFileSync(cacheFile);
      codeCache.writeUInt8(codeCache.readUInt8(4) ^ 1, 4); // in the hash of V8's version
      writeFileSync(cacheFile, codeCache);
      return { taskRoot: folder, handler: 'index.handler' };
    },
  },
  {
    name: 'unwatched',
    description: 'this service without Powertools: neither logs nor metrics',
    isService: true,
    async deploy(operation, folder) {
      const nothing = join(import.meta.dirname, 'peers', 'noPowertools.js');
      await bundleFunction(operation, folder, {
        '@aws-lambda-powertools/logger': nothing,
        '@aws-lambda-powertools/logger/middleware': nothing,
        '@aws-lambda-powertools/metrics': nothing,
      });
      return { taskRoot: folder, handler: 'index.handler' };
    },
  },
  {
    name: 'unbundled',
    description: 'the same source, file by file beside its `node_modules`',
    isService: true,
    async deploy(operation, folder) {
      for (const file of globSync('{functions,lib}/**/*.ts', { cwd: projectRoot })) {
        const source = readFileSync(join(projectRoot, file), 'utf8');
        const { code } = await transform(source, { loader: 'ts', target: 'node24' });
        const target = join(folder, file.replace(/ts$/, 'js'));
        mkdirSync(dirname(target), { recursive: true });
        writeFileSync(target, code.replaceAll(/(from "\..+)\.ts"/g, '$1.js"'));
      }
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
      return { taskRoot: folder, handler: `functions/${operation}.handler` };
    },
  },
  {
    name: 'esbuild',
    description: 'the same source, `esbuild --bundle --minify` with its defaults',
    isService: true,
    async deploy(operation, folder) {
      await build({
        ...plainOptions,
        entryPoints: [`functions/${operation}.ts`],
        outfile: join(folder, 'index.mjs'),
      });
      return { taskRoot: folder, handler: 'index.handler' };
    },
  },
  peer('hono', 'hono with its adapter `hono/aws-lambda`'),
  peer('powertools', "Powertools' event handler"),
  peer('express', 'express with `@codegenie/serverless-express`'),
  peer('raw', 'HTTP requests signed by hand, without the SDK: the limit'),
  peer('empty', 'an empty handler: the floor', false),
];

/** Builds a variant once for each operation, below a folder of its own. */
export async function deployVariant(
  variant: Variant,
  operations: readonly MeasuredOperation[],
  buildFolder: string,
): Promise<Record<MeasuredOperation, Deployment>> {
  const entries = operations.map(async (operation) => {
    const folder = join(buildFolder, variant.name, operation);
    mkdirSync(folder, { recursive: true });
    return [operation, await variant.deploy(operation, folder)] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as Record<MeasuredOperation, Deployment>;
}
