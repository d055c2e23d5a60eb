import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Bundle, bundleFunction } from '../../infra/bundle/bundleFunction.ts';
import { codeCacheName } from '../../infra/bundle/codeCacheName.ts';
import { restEvent } from '../helpers/api.ts';
import { listen } from '../helpers/listen.ts';
import { lambdaEnvironment, load, runBundle } from '../helpers/runBundle.ts';
import budgets from './bundleBudgets.json' with { type: 'json' };

// What makes the bundles fast, asserted without a clock. The times are in docs/performance.md.

const names = Object.keys(budgets) as (keyof typeof budgets)[];
const functionsOfTheApi = names.filter((name) => name !== 'verifyVersion');
const outFolder = mkdtempSync(join(tmpdir(), 'petstore-bundles-'));
const folderOf = (name: string) => join(outFolder, name);
const bundles: Record<string, Bundle> = {};

beforeAll(async () => {
  const built = names.map(async (name) => {
    bundles[name] = await bundleFunction(name, folderOf(name));
  });
  await Promise.all(built);
}, 60_000);

afterAll(() => rmSync(outFolder, { recursive: true, force: true }));

const filesOf = (name: string) => Object.keys(bundles[name]?.inputs ?? {});
const textOf = (name: string) => readFileSync(join(folderOf(name), 'bundle.js'), 'utf8');

const withEngine = {
  ...lambdaEnvironment,
  AWS_ENDPOINT_URL_DYNAMODB: inject('dynamoDbEndpoint'),
  EVENT: JSON.stringify(restEvent()),
  NEW_PET: JSON.stringify(restEvent({ body: { name: 'Rex', categoryId: 1 } })),
};

/** Gets the handler without the warm-up, which a slow machine would cut off. */
const loadCold = `
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const { Script } = process.getBuiltinModule('node:vm');
  const bundle = { exports: {} };
  new Script(readFileSync(folder + '/bundle.js', 'latin1')).runInThisContext()(bundle);
  const { handler } = bundle.exports;`;

/** Invokes the handler as the runtime client does and writes its answer's status. */
const invoke = `
  const event = JSON.parse(folder.includes('createPet') ? process.env.NEW_PET : process.env.EVENT);
  const { statusCode } = await handler(event, { functionName: 'petstore' });
  console.error(statusCode);`;

describe.each(names)('bundle of %s', (name) => {
  it('is no larger than 300 KB', () => {
    expect(bundles[name]?.bytes).toBeLessThanOrEqual(300_000);
  });

  it('has the size of its budget, or up to 5 % more or less', () => {
    const bytes = bundles[name]?.bytes ?? 0;

    // To grow by more the budget has to be raised in the same change, and to shrink lowered.
    expect(bytes / budgets[name]).toBeGreaterThan(0.95);
    expect(bytes / budgets[name]).toBeLessThan(1.05);
  });

  it('holds no clients and parsers that a function has no use for', () => {
    const useless =
      /dist-cjs|bowser|xml-builder|nested-clients|credential-provider|zod\/.*locales\/(?!en\.|index)/;

    expect(filesOf(name).filter((file) => useless.test(file))).toEqual([]);
    expect(filesOf(name).length).toBeGreaterThan(100);
  });

  it('imports no module of Node.js, which would load all that hangs on it', () => {
    expect(textOf(name)).not.toMatch(/\b(from|require\(|import\(?)\s*["'](node:|https?["'])/);
    expect(textOf(name)).toContain('process.getBuiltinModule("node:https")');
  });

  it('is run with a code cache that V8 takes under Lambda’s flags', async () => {
    const { stderr } = await runBundle(
      folderOf(name),
      `const vm = process.getBuiltinModule('node:vm');
       vm.Script = class extends vm.Script {
         constructor(...input) {
           super(...input);
           console.error(this.cachedDataRejected);
         }
       };
       ${load} process.exit();`,
      withEngine,
    );

    expect(stderr).toBe('false\n');
  });
});

describe.each(functionsOfTheApi)('bundle of %s, as Lambda runs it', (name) => {
  it('answers without undici and web streams', async () => {
    const { stderr } = await runBundle(
      folderOf(name),
      `${loadCold} ${invoke} console.error(process.moduleLoadList.join('\\n'));`,
      withEngine,
    );

    const [status, ...modules] = stderr.split('\n');
    expect(Number(status)).toBeLessThan(500);
    expect(modules).toContain('NativeModule https');
    expect(modules.filter((each) => /undici|webstreams\/(?!util)/.test(each))).toEqual([]);
  });

  it('answers from code that was compiled at the build', async () => {
    const { stderr } = await runBundle(
      folderOf(name),
      `const { readFileSync, statSync } = process.getBuiltinModule('node:fs');
       const { Script } = process.getBuiltinModule('node:vm');
       const script = new Script(readFileSync(folder + '/bundle.js', 'latin1'));
       script.runInThisContext()({ exports: {} });
       const loadedBytes = script.createCachedData().length;
       console.error(statSync(folder + '/${codeCacheName}').size / loadedBytes);`,
      withEngine,
    );

    // Beside what loading alone compiles, a third more is what a request runs.
    expect(Number(stderr)).toBeGreaterThan(1.2);
  });

  it('reads no file, and the environment of the system once', async () => {
    const { stderr } = await runBundle(
      folderOf(name),
      `const files = process.getBuiltinModule('node:fs/promises');
       files.readFile = async (file) => { console.error(file); throw new Error(); };
       ${loadCold} ${invoke}
       process.env.PROBE = 1;
       console.error(typeof process.env.PROBE);`,
      withEngine,
    );

    // The variables of the system are texts; a copy keeps what it is given.
    expect(stderr).toMatch(/^\d+\nnumber\n$/);
  });
});

describe('bundle of verifyVersion, as Lambda runs it', () => {
  it('asks the new version and tells CodeDeploy what it found', async () => {
    const requests: unknown[] = [];
    const endpoint = await listen(async (request, response) => {
      const sent = (await json(request)) as { headers?: { authorization?: string } };
      requests.push(request.headers['x-amz-target'] ?? request.url);
      const fault = sent.headers?.authorization ? 'error="invalid_token"' : '';
      response.end(
        JSON.stringify({
          statusCode: 401,
          headers: { 'WWW-Authenticate': `Bearer ${fault}` },
          body: JSON.stringify({ code: 'unauthorized', message: 'No.', status: 401 }),
        }),
      );
    });

    const { exitCode, stdout } = await runBundle(
      folderOf('verifyVersion'),
      `${load} await handler({ DeploymentId: 'd-ABC', LifecycleEventHookExecutionId: 'hook-1' });`,
      {
        ...withEngine,
        AWS_ENDPOINT_URL_LAMBDA: endpoint,
        AWS_ENDPOINT_URL_CODEDEPLOY: endpoint,
        VERSION_ARN: 'arn:aws:lambda:eu-west-1:111122223333:function:getPet:7',
      },
    );

    expect(exitCode).toBe(0);
    expect(stdout).toContain('"code":"version_verified"');
    const invocation = expect.stringMatching(/^\/2015-03-31\/functions\/.*getPet.*\/invocations$/);
    const verdict = 'CodeDeploy_20141006.PutLifecycleEventHookExecutionStatus';
    expect(requests).toEqual([invocation, invocation, verdict]);
  });
});

describe('the file that Lambda loads', () => {
  it('lets the runtime client set the trace of each invocation', async () => {
    const { stdout } = await runBundle(
      folderOf('getPet'),
      `${load} process.env._X_AMZN_TRACE_ID = 'Root=1-5759e988-bd862e3fe1be46a994272793'; ${invoke}`,
      withEngine,
    );

    expect(stdout).toContain('"xray_trace_id":"1-5759e988-bd862e3fe1be46a994272793"');
  });

  it('says at once what is missing where it has no credentials', async () => {
    const { exitCode, stderr } = await runBundle(folderOf('getPet'), load + invoke, {
      ...withEngine,
      AWS_SECRET_ACCESS_KEY: undefined,
    });

    expect(stderr).toContain('AWS_ACCESS_KEY_ID or its secret is not set');
    expect(exitCode).toBe(1);
  });

  it.each([
    ['is missing', (file: string) => rmSync(file)],
    ['is another’s', (file: string) => cpSync(join(folderOf('getPet'), codeCacheName), file)],
    ['is damaged', (file: string) => writeFileSync(file, 'damaged')],
  ])('runs the bundle where the code cache %s', async (_case, spoil) => {
    const folder = mkdtempSync(join(outFolder, 'createPet-'));
    cpSync(folderOf('createPet'), folder, { recursive: true });
    spoil(join(folder, codeCacheName));

    const { stderr } = await runBundle(folder, load + invoke, withEngine);

    expect(stderr).toBe('201\n');
  });
});
