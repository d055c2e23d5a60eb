import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Plugin } from 'esbuild';
import { bundleOptions } from '../../infra/bundle/bundleOptions.ts';
import type { dynamoDbClient } from '../../lib/dynamodb/client.ts';
import type { Handler } from '../../lib/http/handler.ts';
import { bundleFunction, loadPackages, projectRoot } from './loadPackages.ts';
import { stage } from './requests.ts';
import type { InstanceSettings } from './Scope.ts';

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

/** A change of the source text of one file. */
export type Edit = { file: string; find: string; replace: string };

/** An evaluated bundle, and what surrounds the instance that it plays. */
type Played = { service: Service; surroundings: Surroundings; uses: number };

/**
 * An evaluated bundle plays this many instances, one after the other, because to evaluate it takes as
 * long as ten calls. No more, because each failed call takes from the SDK's budget for retries.
 */
const maxUses = 8;

/**
 * Bundles the service, with an edit if it is a mutant, and returns what starts an instance of it.
 *
 * The packages are evaluated once. The project's own code is evaluated for each instance, because
 * its module state is that of an instance.
 */
export async function loadService(edit?: Edit): Promise<StartService> {
  const packages = await loadPackages();
  const evaluate = await bundleFunction(['module', 'require', 'process', 'Date', 'crypto'], {
    plugins: [...bundleOptions('createPet').plugins, editSources(edit)],
    packages: 'external',
    stdin: { resolveDir: projectRoot, contents: entryPoint },
  });

  function evaluateBundle(surroundings: Surroundings): Played {
    const played: Played = { service: {} as Service, surroundings, uses: 0 };
    const module = { exports: played.service };
    const InstanceDate = class extends Date {
      static override now = () => played.surroundings.nowMs();
    };
    const crypto = { randomUUID: () => played.surroundings.randomUUID() };
    const process = { ...globalThis.process, env: surroundings.environment };
    evaluate(module, (name: string) => packages[name], process, InstanceDate, crypto);
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

/** The environment of an instance, as the stack sets it. */
export function environmentOf(settings: InstanceSettings, logLevel: string) {
  return {
    AWS_LAMBDA_FUNCTION_NAME: 'petstore',
    AWS_REGION: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
    LOG_LEVEL: logLevel,
    STAGE: stage,
    PETS_TABLE: 'pets',
    API_KEYS_TABLE: 'keys',
    IDEMPOTENCY_TABLE: 'idempotency',
    SHARDS: String(settings.shards ?? 1),
    WRITE_SHARDS: String(settings.writeShards ?? 1),
    IDS_PER_LEASE: String(settings.idsPerLease ?? 1),
  };
}

const entryPoint = `
  export { handler as createPet } from './functions/createPet.ts';
  export { handler as listPets } from './functions/listPets.ts';
  export { handler as getPet } from './functions/getPet.ts';
  export { dynamoDbClient } from './lib/dynamodb/client.ts';
  import { moduleState as ids, resetModuleState as resetIds } from './lib/pets/petIds.ts';
  import { moduleState as keys, resetModuleState as resetKeys } from './lib/apiKeys/lookUpApiKey.ts';
  export const moduleState = () => ({ ids: ids(), keys: keys() });
  export const resetModuleState = () => { resetIds(); resetKeys(); };`;

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

function editSources(edit: Edit | undefined): Plugin {
  return {
    name: 'editSources',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/](lib|functions)[\\/].*\.ts$/ }, ({ path }) => {
        const name = relative(projectRoot, path);
        const state = moduleStates[name];
        const text = readFileSync(path, 'utf8');
        const source = edit?.file === name ? editedText(text, edit) : text;
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

/** Throws if the text to replace is not found exactly once, so that a mutant cannot become the real code. */
export function editedText(source: string, { file, find, replace }: Edit): string {
  const parts = source.split(find);
  if (parts.length !== 2) {
    throw new Error(`${file} has ${parts.length - 1} places, not one, that read: ${find}`);
  }
  return parts.join(replace);
}
