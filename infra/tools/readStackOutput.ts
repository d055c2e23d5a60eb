import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { stackName } from '../stackNames.ts';

/** Reads an output of the stack of a stage. Throws if the stack or the output does not exist. */
export async function readStackOutput(stage: string, outputName: string): Promise<string> {
  const client = new CloudFormationClient();
  const StackName = stackName(stage);
  const { Stacks } = await client
    .send(new DescribeStacksCommand({ StackName }))
    .catch(async (cause: Error) => {
      const region = await client.config.region().catch(() => 'none');
      const { AWS_PROFILE } = process.env;
      const access = `in the Region ${region}${AWS_PROFILE ? ` with the profile ${AWS_PROFILE}` : ''}`;
      throw new Error(
        `The stack ${StackName} cannot be read ${access}: ${cause.message.replace(/\.$/, '')}. Check AWS_REGION, AWS_PROFILE and your AWS credentials, and that the stack is deployed.`,
        { cause },
      );
    });
  const output = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === outputName);
  if (!output?.OutputValue) {
    throw new Error(`The stack ${StackName} has no output ${outputName}: deploy it again.`);
  }
  return output.OutputValue;
}
