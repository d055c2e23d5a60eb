import assert from 'node:assert/strict';
import { globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type BuildOptions, build, transform } from 'esbuild';
import { bundleOptions, projectRoot } from '../../infra/bundle/bundleOptions.ts';
import { type Lever, requireBanner } from './levers.ts';
import { type MeasuredOperation, measuredOperations } from './requests.ts';

/** A built function: what Lambda has as `LAMBDA_TASK_ROOT` and `_HANDLER`. */
export type Deployment = { taskRoot: string; handler: string };

export type Variant = {
  name: string;
  description: string;
  /** Whether its responses must be those of the service. Others are only a floor. */
  isService: boolean;
  /** Absent for the one variant without a bundle. */
  options?(operation: MeasuredOperation): BuildOptions;
};

const service: Variant = {
  name: 'service',
  description: 'this service',
  isService: true,
  options: bundleOptions,
};

const plainOptions = {
  absWorkingDir: projectRoot,
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  banner: requireBanner,
} as const satisfies BuildOptions;

/** A peer has the one setting that spares it the CommonJS builds of the SDK. */
function peer(name: string, description: string, isService = true): Variant {
  const entryPoints = [`test/bench/peers/${name}.js`];
  const options = () => ({ ...plainOptions, mainFields: ['module', 'main'], entryPoints });
  return { name, description, isService, options };
}

const frameworks = [
  peer('hono', 'hono with its adapter `hono/aws-lambda`'),
  peer('powertools', "Powertools' event handler"),
  peer('express', 'express with `@codegenie/serverless-express`'),
];

export const coldVariants: readonly Variant[] = [
  service,
  {
    name: 'unbundled',
    description: 'the same source, file by file next to its `node_modules`',
    isService: true,
  },
  {
    name: 'esbuild',
    description: 'the same source, `esbuild --bundle --minify` with its defaults',
    isService: true,
    options: (operation) => ({ ...plainOptions, entryPoints: [`functions/${operation}.ts`] }),
  },
  ...frameworks,
  peer('raw', 'HTTP requests signed by hand, without the SDK: the limit'),
  peer('empty', 'an empty handler: the floor', false),
];

/** A handler that only makes the DynamoDB calls of an operation, with the client that it imports. */
function callsOnly(name: string, description: string, importClient: string): Variant {
  const contents = `
    ${importClient}
    import { callsThrough } from './test/bench/warm/callsThrough.js';
    export const handler = callsThrough(client);`;
  return {
    name,
    description,
    isService: false,
    options(operation) {
      const { stdin, ...options } = bundleOptions(operation);
      return { ...options, stdin: { ...stdin, contents } };
    },
  };
}

export const warmVariants: readonly Variant[] = [
  callsOnly(
    'calls',
    "only the DynamoDB calls, through the SDK's client",
    "import { client } from './test/bench/warm/sdkClient.js';",
  ),
  callsOnly(
    'ownCalls',
    'only the DynamoDB calls, through the client of this service',
    "import { dynamoDbClient as client } from './lib/dynamodb/client.ts';",
  ),
  service,
  ...frameworks,
];

/** Returns the service, and the service without each of the levers. */
export function leverVariants(levers: readonly Lever[]): Variant[] {
  const variants = levers.map((lever) => ({
    name: lever.name,
    description: `this service without ${lever.name}`,
    isService: true,
    options: (operation: MeasuredOperation) => lever.without(bundleOptions(operation)),
  }));
  return [service, ...variants];
}

/** Builds all variants, with packages replaced by other modules, and returns how to find one. */
export async function buildVariants(
  variants: readonly Variant[],
  bench: 'cold' | 'warm',
  replacedPackages: Record<string, string> = {},
): Promise<(variant: Variant, operation: MeasuredOperation) => Deployment> {
  const buildFolder = join(import.meta.dirname, '.build', bench);
  rmSync(buildFolder, { recursive: true, force: true });
  const deployments = new Map<string, Deployment>();
  for (const variant of variants) {
    for (const operation of measuredOperations) {
      const key = `${variant.name} ${operation}`;
      const folder = join(buildFolder, key);
      deployments.set(key, await buildVariant(variant, operation, folder, replacedPackages));
    }
  }
  assertDifferent(
    variants.filter(({ options }) => options).map(({ name }) => name),
    buildFolder,
  );
  return ({ name }, operation) => deployments.get(`${name} ${operation}`) ?? assert.fail(name);
}

/** Asserts that no two variants are the same code: leaving out a lever must change something. */
function assertDifferent(names: readonly string[], buildFolder: string): void {
  const nameOf = new Map<string, string>();
  for (const name of names) {
    const files = measuredOperations.map((operation) =>
      readFileSync(join(buildFolder, `${name} ${operation}`, 'index.mjs'), 'utf8'),
    );
    const code = files.join();
    assert(!nameOf.has(code), `${name} is the same code as ${nameOf.get(code)}.`);
    nameOf.set(code, name);
  }
}

async function buildVariant(
  { options }: Variant,
  operation: MeasuredOperation,
  folder: string,
  replacedPackages: Record<string, string>,
): Promise<Deployment> {
  mkdirSync(folder, { recursive: true });
  if (!options) return transpileSource(operation, folder);
  const { alias, ...others } = options(operation);
  const outfile = join(folder, 'index.mjs');
  await build({ ...others, alias: { ...alias, ...replacedPackages }, outfile });
  return { taskRoot: folder, handler: 'index.handler' };
}

async function transpileSource(operation: MeasuredOperation, folder: string): Promise<Deployment> {
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
}
