import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Script } from 'node:vm';
import { build, type Plugin } from 'esbuild';
import { bundleOptions } from '../../infra/bundle/bundleOptions.ts';
import type { dynamoDbClient } from '../../lib/dynamodb/client.ts';
import type { Handler } from '../../lib/http/handler.ts';

const projectRoot = join(import.meta.dirname, '..', '..');

/** Everything outside the code that decides what an instance does. */
type Surroundings = {
  environment: Record<string, string>;
  nowMs(): number;
  randomUUID(): string;
};

/** One instance of the service, with module state of its own. */
export type Service = {
  createPet: Handler;
  listPets: Handler;
  getPet: Handler;
  dynamoDbClient: typeof dynamoDbClient;
  /** What the instance keeps between requests: its leased ids and its valid API keys. */
  moduleState: () => { ids: unknown[]; keys: unknown[] };
  /** Makes it the state of a new instance. */
  resetModuleState: () => void;
};

export type StartService = {
  (surroundings: Surroundings): Service;
  /** Takes instances back whose run is over. */
  giveBack(services: Service[]): void;
};

/**
 * An evaluated bundle plays this many instances, one after the other, because to evaluate it takes as
 * long as ten calls. No more, because each failed call takes from the SDK's budget for retries.
 */
const maxUses = 8;

/** A change of the source text of one file. */
export type Edit = { file: string; find: string; replace: string };

type Timer = (callback: () => void, ms: number) => unknown;

let startTimer: Timer = () => {
  throw new Error('No world is listening for timers.');
};

/** Sends each timer of the packages to the world under way. */
export function listenForTimers(listener: Timer): void {
  startTimer = listener;
}

/**
 * Bundles the service, with edits if it is a mutant, and returns what starts an instance of it.
 *
 * The packages are evaluated once. The project's own code is evaluated for each instance, because
 * its module state is that of an instance.
 */
export async function loadService(edits: Edit[] = []): Promise<StartService> {
  packages ??= loadPackages();
  const shared = await packages;
  const options = bundleOptions('createPet');
  const text = await bundledText({
    ...options,
    plugins: [...options.plugins, editSources(edits)],
    packages: 'external',
    stdin: {
      resolveDir: projectRoot,
      contents: `
        export { handler as createPet } from './functions/createPet.ts';
        export { handler as listPets } from './functions/listPets.ts';
        export { handler as getPet } from './functions/getPet.ts';
        export { dynamoDbClient } from './lib/dynamodb/client.ts';
        import { moduleState as ids } from './lib/pets/petIds.ts';
        import { moduleState as keys } from './lib/apiKeys/lookUpApiKey.ts';
        import { resetModuleState as resetIds } from './lib/pets/petIds.ts';
        import { resetModuleState as resetKeys } from './lib/apiKeys/lookUpApiKey.ts';
        export const moduleState = () => ({ ids: ids(), keys: keys() });
        export const resetModuleState = () => { resetIds(); resetKeys(); };`,
    },
    banner: { js: '(function (module, require, process, Date, crypto) {' },
  });
  const evaluate = new Script(text, { filename: 'service.js' }).runInThisContext();

  function evaluateBundle(surroundings: Surroundings): Played {
    const played: Played = { service: {} as Service, surroundings, uses: 0 };
    const module = { exports: played.service };
    const InstanceDate = class extends Date {
      static override now = () => played.surroundings.nowMs();
    };
    const crypto = { randomUUID: () => played.surroundings.randomUUID() };
    const process = { ...globalThis.process, env: surroundings.environment };
    evaluate(module, (name: string) => shared[name], process, InstanceDate, crypto);
    played.service = module.exports;
    return played;
  }

  const inUse = new Map<Service, Played>();
  const free = new Map<string, Played[]>();
  function startService(surroundings: Surroundings): Service {
    const played =
      free.get(JSON.stringify(surroundings.environment))?.pop() ?? evaluateBundle(surroundings);
    played.surroundings = surroundings;
    played.uses += 1;
    played.service.resetModuleState();
    inUse.set(played.service, played);
    return played.service;
  }
  function giveBack(services: Service[]): void {
    for (const service of services) {
      const played = inUse.get(service);
      inUse.delete(service);
      if (!played || played.uses >= maxUses) continue;
      const kind = JSON.stringify(played.surroundings.environment);
      free.set(kind, [...(free.get(kind) ?? []), played]);
    }
  }
  return Object.assign(startService, { giveBack });
}

/** An evaluated bundle, and what surrounds the instance that it plays. */
type Played = { service: Service; surroundings: Surroundings; uses: number };

let packages: Promise<Record<string, object>> | undefined;

const packageNames = [
  '@aws-lambda-powertools/logger',
  '@aws-lambda-powertools/logger/middleware',
  '@aws-lambda-powertools/metrics',
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/lib-dynamodb',
  '@middy/core',
  '@middy/http-error-handler',
  '@middy/http-header-normalizer',
  '@middy/http-json-body-parser',
  'zod/mini',
];

/** What the packages read of the environment. */
const packageEnvironment = {
  AWS_REGION: 'local',
  AWS_ACCESS_KEY_ID: 'simulated',
  AWS_SECRET_ACCESS_KEY: 'simulated',
  POWERTOOLS_METRICS_DISABLED: 'true',
};

async function loadPackages(): Promise<Record<string, object>> {
  const imports = packageNames.map((name, place) => `import * as p${place} from '${name}';`);
  const members = packageNames.map((name, place) => `'${name}': p${place}`);
  const text = await bundledText({
    ...bundleOptions('createPet'),
    stdin: {
      resolveDir: projectRoot,
      contents: `${imports.join('\n')}\nexport const packages = { ${members.join(', ')} };`,
    },
    banner: { js: '(function (module, process, setTimeout, clearTimeout) {' },
  });
  const timers = {
    setTimeout: (callback: () => void, ms = 0) => startTimer(callback, ms),
    clearTimeout: () => {},
  };
  const process = Object.create(globalThis.process, {
    env: { value: packageEnvironment },
    getBuiltinModule: {
      value: (name: string) =>
        name === 'node:timers' ? timers : globalThis.process.getBuiltinModule(name),
    },
  });
  const module = { exports: {} as { packages: Record<string, { default?: unknown }> } };
  const evaluate = new Script(text, { filename: 'packages.js' }).runInThisContext();
  evaluate(module, process, timers.setTimeout, timers.clearTimeout);
  return Object.fromEntries(
    Object.entries(module.exports.packages).map(([name, exports]) => [name, importable(exports)]),
  );
}

/**
 * An object that inherits has no properties of its own, which esbuild would copy for each import.
 *
 * esbuild takes the whole module as its default export.
 */
function importable(exports: { default?: unknown }): object {
  return typeof exports.default === 'function' ? exports.default : Object.create({ ...exports });
}

async function bundledText(options: Parameters<typeof build>[0]): Promise<string> {
  const { outputFiles } = await build({
    ...options,
    // A function expression, which each instance calls with its own surroundings.
    format: 'cjs',
    footer: { js: '})' },
    minify: false,
    write: false,
    logLevel: 'silent',
  });
  return outputFiles?.[0]?.text ?? '';
}

/**
 * The variables that a module keeps between requests, made visible.
 *
 * An instance without a request in progress is known by them, however it came to their values. A
 * variable that is missing here would make the exploration take different states for the same one.
 */
const moduleStates: Record<string, { value: string; reset: string }> = {
  'lib/pets/petIds.ts': {
    value: 'lease.nextId > lease.lastId ? [] : [String(lease.nextId), String(lease.lastId)]',
    reset: 'lease = { nextId: 1n, lastId: 0n }; renewal = undefined; waitingCalls = 0n;',
  },
  'lib/apiKeys/lookUpApiKey.ts': {
    value: '[...cache].map(([digest, { untilMs }]) => [digest, untilMs])',
    reset: 'cache.clear();',
  },
};

function editSources(edits: Edit[]): Plugin {
  return {
    name: 'editSources',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/](lib|functions)[\\/].*\.ts$/ }, ({ path }) => {
        const name = relative(projectRoot, path);
        const state = moduleStates[name];
        const own = edits.filter(({ file }) => file === name);
        const source = own.reduce(edited, readFileSync(path, 'utf8'));
        const additions = state
          ? `
            export const moduleState = () => ${state.value};
            export const resetModuleState = () => { ${state.reset} };`
          : '';
        return { loader: 'ts' as const, contents: `${source}${additions}` };
      });
    },
  };
}

function edited(source: string, { file, find, replace }: Edit): string {
  const parts = source.split(find);
  if (parts.length !== 2) {
    throw new Error(`${file} has ${parts.length - 1} places, not one, that read: ${find}`);
  }
  return parts.join(replace);
}
