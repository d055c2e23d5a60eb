import { join } from 'node:path';
import { Script } from 'node:vm';
import { build } from 'esbuild';
import { bundleOptions } from '../../infra/bundle/bundleOptions.ts';

export const projectRoot = join(import.meta.dirname, '..', '..');

/** The packages that the service imports, each as a bundle of the service imports it. */
export type Packages = Record<string, object>;

type Timer = (callback: () => void, ms: number) => unknown;

let startTimer: Timer = () => {
  throw new Error('Nothing is listening for timers.');
};

/** Sends each timer of the packages to a listener. */
export function listenForTimers(listener: Timer): void {
  startTimer = listener;
}

const packageNames = [
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/lib-dynamodb',
  '@middy/core',
  '@middy/http-error-handler',
  '@middy/http-header-normalizer',
  '@middy/http-json-body-parser',
  'zod/mini',
];

/** The variables that the packages read. */
const environment = {
  AWS_REGION: 'local',
  AWS_ACCESS_KEY_ID: 'simulated',
  AWS_SECRET_ACCESS_KEY: 'simulated',
  METRICS: 'off',
};

let packages: Promise<Packages> | undefined;

/** Evaluates the packages once, with timers that the simulation controls. */
export function loadPackages(): Promise<Packages> {
  packages ??= evaluatePackages();
  return packages;
}

async function evaluatePackages(): Promise<Packages> {
  const imports = packageNames.map((name, place) => `import * as p${place} from '${name}';`);
  const members = packageNames.map((name, place) => `'${name}': p${place}`);
  const evaluate = await bundleFunction(['module', 'process', 'setTimeout', 'clearTimeout'], {
    stdin: {
      resolveDir: projectRoot,
      contents: `${imports.join('\n')}\nexport const packages = { ${members.join(', ')} };`,
    },
  });
  const timers = {
    setTimeout: (callback: () => void, ms = 0) => startTimer(callback, ms),
    clearTimeout: () => {},
  };
  const process = Object.create(globalThis.process, {
    env: { value: environment },
    getBuiltinModule: {
      value: (name: string) =>
        name === 'node:timers' ? timers : globalThis.process.getBuiltinModule(name),
    },
  });
  const module = { exports: {} as { packages: Record<string, { default?: unknown }> } };
  evaluate(module, process, timers.setTimeout, timers.clearTimeout);
  return Object.fromEntries(
    Object.entries(module.exports.packages).map(([name, exports]) => [name, importable(exports)]),
  );
}

/**
 * Returns the exports of a package for the imports of a bundle.
 *
 * An object that inherits the exports has no properties of its own, which esbuild would copy for each
 * import. esbuild takes the whole module as its default export.
 */
function importable(exports: { default?: unknown }): object {
  return typeof exports.default === 'function' ? exports.default : Object.create({ ...exports });
}

/** Bundles code into a function, so that each call evaluates it with other globals. */
export async function bundleFunction(
  parameters: string[],
  options: Parameters<typeof build>[0],
): Promise<(...globals: unknown[]) => void> {
  const { outputFiles } = await build({
    ...bundleOptions('createPet'),
    ...options,
    format: 'cjs',
    banner: { js: `(function (${parameters.join(', ')}) {` },
    footer: { js: '})' },
    minify: false,
    write: false,
    logLevel: 'silent',
  });
  return new Script(outputFiles?.[0]?.text ?? '').runInThisContext();
}
