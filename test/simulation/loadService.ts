import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Plugin } from 'esbuild';
import { bundleOptions } from '../../infra/bundle/bundleOptions.ts';
import type { dynamoDbClient } from '../../lib/dynamodb/client.ts';
import type { Handler } from '../../lib/http/handler.ts';
import { bundleFunction, loadPackages, projectRoot } from './loadPackages.ts';
import type { InstanceSettings } from './Scope.ts';
import { stage } from './simulatedRequests.ts';

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
  /** The state between requests: the leased ids and the valid API keys. */
  moduleState: () => { ids: unknown[]; keys: unknown[] };
};

export type StartService = (surroundings: Surroundings) => Service;

/** A change of the source text of one file. */
export type Edit = { file: string; find: string; replace: string };

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

  return function startService({ environment, nowMs, randomUUID }) {
    const module = { exports: {} as Service };
    const InstanceDate = class extends Date {
      static override now = nowMs;
    };
    const process = { ...globalThis.process, env: environment };
    const require = (name: string) => packages[name];
    evaluate(module, require, process, InstanceDate, { randomUUID });
    return module.exports;
  };
}

/** The environment of an instance, as the stack sets it. */
export function environmentOf(settings: InstanceSettings, logLevel: string) {
  return {
    AWS_LAMBDA_FUNCTION_NAME: 'petstore',
    AWS_REGION: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
    LOG_LEVEL: logLevel,
    METRICS: 'off',
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
  import { moduleState as ids } from './lib/pets/petIds.ts';
  import { moduleState as keys } from './lib/apiKeys/lookUpApiKey.ts';
  export const moduleState = () => ({ ids: ids(), keys: keys() });`;

/**
 * The variables that a module keeps between requests, made visible.
 *
 * An instance without a request in progress is known by them, however it came to their values. A
 * variable that is missing here would make the exploration take different states for the same one.
 */
const moduleStates: Record<string, string> = {
  'lib/pets/petIds.ts':
    'lease.nextId > lease.lastId ? [] : [String(lease.nextId), String(lease.lastId)]',
  'lib/apiKeys/lookUpApiKey.ts': '[...cache].map(([digest, { untilMs }]) => [digest, untilMs])',
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
        const addition = state ? `\nexport const moduleState = () => ${state};` : '';
        return { loader: 'ts' as const, contents: `${source}${addition}` };
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
