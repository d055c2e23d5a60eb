import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { defineCommand, print, runCommand } from '../infra/tools/command.ts';

const folder = 'test/dynamodb-local';
const pom = readFileSync(`${folder}/pom.xml`, 'utf8');
const version = /DynamoDBLocal<.+?<version>([\d.]+)</s.exec(pom)?.[1];
const pomDigest = createHash('sha256').update(pom).digest('hex').slice(0, 8);
const packages = `node_modules/.cache/dynamodb-local-${version}-${pomDigest}`;

export const dynamodbLocal = defineCommand(
  'test:dynamodb-local',
  "Runs the tests against AWS's DynamoDB Local.",
)
  .argument('[arguments of vitest...]', 'options of vitest after a second --')
  .addHelpText(
    'after',
    `
Maven downloads DynamoDB Local from Maven Central into the cache. Without Java, Maven or Maven Central,
the run prints that it is skipped, and passes.`,
  )
  .action(async (args) => {
    const missing = findMissing();
    if (missing === undefined) process.exitCode = await run(args);
    else {
      print(`\n!!! SKIPPED: the tests did not run against DynamoDB Local: ${missing}.\n`);
    }
  });

function findMissing(): string | undefined {
  // A source file needs the compiler of a JDK.
  const modules = spawnSync('java', ['--list-modules'], { encoding: 'utf8' }).stdout ?? '';
  const [, javaVersion = '0'] = /^jdk\.compiler@(\d+)/m.exec(modules) ?? [];
  if (Number(javaVersion) < 17) return 'there is no JDK of Java 17 or newer';
  if (existsSync(packages)) return undefined;
  if (spawnSync('mvn', ['--version']).error) return 'there is no Maven';
  return fetchPackages() ? undefined : 'Maven Central did not deliver its packages';
}

function fetchPackages(): boolean {
  // Renamed when complete, so that an interrupted download is not used.
  const unfinished = `${packages}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  const { status } = spawnSync(
    'mvn',
    [
      '--quiet',
      '--batch-mode',
      '-Dstyle.color=never',
      `--file=${folder}/pom.xml`,
      'dependency:copy-dependencies',
      `-DoutputDirectory=${process.cwd()}/${unfinished}`,
    ],
    { stdio: ['ignore', 'inherit', 'inherit'], timeout: 300_000 },
  );
  if (status === 0) renameSync(unfinished, packages);
  return status === 0;
}

async function run(args: string[]): Promise<number> {
  const engine = startEngine();
  try {
    const port = await readPort(engine);
    print(`DynamoDB Local ${version} listens on port ${port} of loopback.`);
    // Not the tests of synthesised templates.
    const command = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'service', ...args];
    const vitest = spawn(process.execPath, command, {
      stdio: 'inherit',
      env: { ...process.env, TEST_DYNAMODB_ENDPOINT: `http://127.0.0.1:${port}` },
    });
    const [exitCode] = await once(vitest, 'close');
    return exitCode ?? 1;
  } finally {
    engine.stdin?.end();
  }
}

function startEngine(): ChildProcess {
  const settings = [`-Djava.library.path=${packages}`, '-cp', `${packages}/*`];
  return spawn('java', [...settings, `${folder}/LoopbackDynamoDb.java`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

async function readPort({ stdout }: ChildProcess): Promise<number> {
  if (stdout) {
    for await (const line of createInterface({ input: stdout })) return Number(line);
  }
  throw new Error('DynamoDB Local did not start.');
}

if (import.meta.main) await runCommand(dynamodbLocal);
