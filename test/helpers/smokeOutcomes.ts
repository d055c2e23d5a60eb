import { CheckFailure } from '../../infra/tools/smoke/Check.ts';
import { openService, type ServiceOptions } from '../../infra/tools/smoke/openService.ts';
import { type Outcome, runChecks } from '../../infra/tools/smoke/runChecks.ts';
import { smokeChecks } from '../../infra/tools/smoke/smokeChecks.ts';
import { apiKey } from './api.ts';
import { type Lie, serveLie } from './lyingService.ts';

/** Runs the whole suite against a service that lies. */
export async function outcomesOf(
  lie: Lie,
  options: Partial<ServiceOptions> = {},
): Promise<Outcome[]> {
  const baseAddress = await serveLie(lie);
  const service = openService({ baseAddress, apiKey, areRelativeLinksTaken: false, ...options });
  const outcomes: Outcome[] = [];
  const checks = smokeChecks(service, { startedAt: new Date(), waitMs: 0 });
  for await (const outcome of runChecks(checks)) outcomes.push(outcome);
  return outcomes;
}

/** The titles of the promises that a service broke. */
export const broken = (outcomes: Outcome[]) =>
  outcomes.filter(({ trouble }) => trouble instanceof CheckFailure).map(({ title }) => title);
