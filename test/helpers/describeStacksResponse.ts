/** CloudFormation's response about the staging stack, with one output. */
export function describeStacksResponse(outputName: string, value: string): string {
  return `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/">
    <DescribeStacksResult><Stacks><member>
      <StackName>PetStore-v1-staging</StackName><StackStatus>CREATE_COMPLETE</StackStatus>
      <Outputs><member><OutputKey>${outputName}</OutputKey><OutputValue>${value}</OutputValue></member></Outputs>
    </member></Stacks></DescribeStacksResult>
  </DescribeStacksResponse>`;
}
