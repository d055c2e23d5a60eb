import { DynamoDB } from '@aws-sdk/client-dynamodb';
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

/**
 * Lets calls of AWS go to the Region that the CDK deploys a stage to, and returns it: that of the settings, of the
 * environment or of the profile. Throws if none of them names a Region.
 */
export async function useRegion({ account: { region } }: Stage): Promise<string> {
  const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  const used = region || AWS_REGION || AWS_DEFAULT_REGION || (await regionOfProfile());
  process.env.AWS_REGION = used;
  return used;
}

async function regionOfProfile(): Promise<string> {
  const { AWS_PROFILE = 'default' } = process.env;
  return new DynamoDB().config.region().catch((cause) => {
    const message = `There is no profile ${AWS_PROFILE} with a Region. Check AWS_PROFILE, or set AWS_REGION.`;
    throw new Error(message, { cause });
  });
}

/** Runs an action on the tables of a stage, in its Region. Throws if the stage is not deployed there. */
export async function useStage(name: string, act: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = stageOrSandbox(name);
  const region = await useRegion(stage);
  try {
    await act(stage);
  } catch (error) {
    const cause = error as Error;
    if (cause.name !== 'ResourceNotFoundException') throw cause;
    const { AWS_PROFILE: profile } = process.env;
    const access = `the Region ${region}${profile ? ` with the profile ${profile}` : ''}`;
    throw new Error(
      `${name} is not deployed in ${access}: it has no such table. Check AWS_REGION, AWS_PROFILE and your AWS credentials.`,
      { cause },
    );
  }
}
