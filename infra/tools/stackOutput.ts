import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';

/** Reads an output of a deployed stack. Throws where the stack or the output is not there. */
export async function stackOutput(StackName: string, outputName: string): Promise<string> {
  const client = new CloudFormationClient();
  const { Stacks } = await client
    .send(new DescribeStacksCommand({ StackName }))
    .catch((cause: Error) => {
      throw new Error(
        `The stack ${StackName} cannot be read: ${cause.message}. Look at your AWS credentials and Region, and whether it is deployed.`,
        { cause },
      );
    });
  const output = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === outputName);
  if (!output?.OutputValue) {
    throw new Error(`The stack ${StackName} has no output ${outputName}: deploy it again.`);
  }
  return output.OutputValue;
}
