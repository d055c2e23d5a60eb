import { CheckFailure } from './smoke/Check.ts';
import { openService } from './smoke/openService.ts';
import { outcomeText } from './smoke/outcomeText.ts';
import { type Outcome, runChecks } from './smoke/runChecks.ts';
import { smokeChecks } from './smoke/smokeChecks.ts';
import { readSmokeOptions, type SmokeOptions, smokeUsage } from './smoke/smokeOptions.ts';
import { testPetName } from './smoke/testPets.ts';

/** For wrong options, so that a pipeline can tell them from a service that fails. */
const misuse = 2;

try {
  const options = readSmokeOptions(process.argv.slice(2), process.env);
  if (options) process.exitCode = await smoke(options);
  else print(smokeUsage);
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = misuse;
}

/** Returns the exit code. */
async function smoke({ waitMs, ...options }: SmokeOptions): Promise<number> {
  const startedAt = new Date();
  const service = openService(options);
  const checks = smokeChecks(service, { startedAt, waitMs });
  const outcomes: Outcome[] = [];
  for await (const outcome of runChecks(checks)) {
    outcomes.push(outcome);
    // A service that repeats the key must not bring it into a log.
    print(service.mask(outcomeText(outcome)));
  }

  const failed = outcomes.filter(({ trouble }) => trouble instanceof CheckFailure).length;
  const passed = outcomes.filter(({ trouble }) => trouble === undefined).length;
  const others = checks.length - failed - passed;
  const seconds = ((Date.now() - startedAt.getTime()) / 1000).toFixed(1);
  print(`\n${passed} passed, ${failed} failed, ${others} not seen, in ${seconds} s.`);
  if (outcomes.length > 1) print(`The pets of this run are named ${testPetName(startedAt)}.`);
  return failed === 0 ? 0 : 1;
}

function explain(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code?.startsWith('ERR_PARSE_ARGS') ? `${message}\n\n${smokeUsage}` : message;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
