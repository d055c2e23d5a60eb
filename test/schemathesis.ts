import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { defineCommand, runCommand, wholeNumber } from '../infra/tools/command.ts';
import { installPythonCommand } from './helpers/installPythonCommand.ts';
import { startLocalService } from './helpers/startLocalService.ts';

/**
 * Runs Schemathesis, which generates requests from the OpenAPI document, against `npm start`.
 *
 * It is installed from PyPI. Without PyPI the run is skipped and counts as passed.
 */
const version = '4.32.5';

const positiveAcceptance = 'positive_data_acceptance';

export const schemathesis = defineCommand(
  'test:schemathesis',
  'Sends generated requests to the local service.',
)
  .option('--seed <number>', 'a fixed seed makes a run repeatable', wholeNumber(0, 999_999_999), 1)
  .argument('[options of schemathesis run...]', 'after a second --')
  .action(async (others, { seed }) => {
    const program = installPythonCommand('schemathesis', version);
    if (program) process.exitCode = await run(program, ['--seed', String(seed), ...others]);
  });

async function run(program: string, options: string[]): Promise<number> {
  const { baseAddress, apiKey, stop } = await startLocalService(['--in-memory']);
  try {
    const runChecks = async (document: string, checks: string[]) => {
      const header = `Authorization: Bearer ${apiKey}`;
      const args = [
        'run',
        document,
        '--url',
        baseAddress,
        '--header',
        header,
        ...checks,
        ...options,
      ];
      const [exitCode] = await once(spawn(program, args, { stdio: 'inherit' }), 'close');
      return exitCode ?? 1;
    };
    const exitCodes = [
      await runChecks('openapi.json', ['--checks', 'all', '--exclude-checks', positiveAcceptance]),
      await runChecks(writeAcceptedDocument(), [
        '--checks',
        positiveAcceptance,
        '--mode',
        'positive',
      ]),
    ];
    return Math.max(...exitCodes);
  } finally {
    await stop();
  }
}

/**
 * Writes the document without what a schema cannot describe, so that each valid request must succeed.
 *
 * No schema says that the service never issued a cursor, or that an Idempotency-Key was used before.
 */
function writeAcceptedDocument(): string {
  const document = JSON.parse(readFileSync('openapi.json', 'utf8'));
  for (const { get, post } of Object.values<Path>(document.paths)) {
    for (const operation of [get, post]) {
      if (!operation) continue;
      operation.parameters = operation.parameters.filter(
        ({ name }) => name !== 'cursor' && name !== 'Idempotency-Key',
      );
    }
  }
  const file = 'node_modules/.cache/openapi.accepted.json';
  writeFileSync(file, JSON.stringify(document));
  return file;
}

type Path = Record<'get' | 'post', { parameters: { name: string }[] } | undefined>;

if (import.meta.main) await runCommand(schemathesis);
