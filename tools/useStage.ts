import { InvalidArgumentError } from '@commander-js/extra-typings';
import type { Stage } from '../infra/stageSchema.ts';
import { stageOrSandbox } from '../infra/stages.ts';

/** Reads the value of an option as the name of a stage on AWS. */
export function parseStageName(text: string): string {
  try {
    return stageOrSandbox(text).name;
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

/** Lets calls of AWS go to the Region of a stage's settings, because the CDK deploys there. */
export function useRegion({ account: { region } }: Stage): void {
  if (region) process.env.AWS_REGION = region;
}

/** What DynamoDB says if a table does not exist, in a call to it and in a restore of it. */
const missingTableErrors = ['ResourceNotFoundException', 'TableNotFoundException'];

/** Runs an action on the tables of a stage, in the Region of its settings. Throws if the stage is not deployed there. */
export async function useStage(name: string, act: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = stageOrSandbox(name);
  useRegion(stage);
  try {
    await act(stage);
  } catch (error) {
    const cause = error as Error;
    if (!missingTableErrors.includes(cause.name)) throw cause;
    const { AWS_REGION: where = 'of your profile', AWS_PROFILE: profile } = process.env;
    const access = `the Region ${where}${profile ? ` with the profile ${profile}` : ''}`;
    throw new Error(
      `${name} is not deployed in ${access}: it has no such table. Check AWS_REGION, AWS_PROFILE and your AWS credentials.`,
      { cause },
    );
  }
}
