/** CloudFormation's response about the staging stack, with one output, or more. */
export function describeStacksResponse(
  outputName: string,
  value: string,
  others: Record<string, string> = {},
): string {
  const outputs = Object.entries({ [outputName]: value, ...others }).map(
    ([key, each]) =>
      `<member><OutputKey>${key}</OutputKey><OutputValue>${each}</OutputValue></member>`,
  );
  return `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/">
    <DescribeStacksResult><Stacks><member>
      <StackName>PetStore-v1-staging</StackName><StackStatus>CREATE_COMPLETE</StackStatus>
      <Outputs>${outputs.join('')}</Outputs>
    </member></Stacks></DescribeStacksResult>
  </DescribeStacksResponse>`;
}
