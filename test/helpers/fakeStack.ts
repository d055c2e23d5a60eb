import { text } from 'node:stream/consumers';
import { outputNames, stackName } from '../../infra/stages.ts';
import { config } from '../../lib/config.ts';
import { listen } from './listen.ts';

/**
 * Fakes CloudFormation, which knows only the staging stack, with the tables of this test file.
 *
 * Returns the environment for a command.
 */
export async function fakeStack(): Promise<Record<string, string>> {
  const outputs = {
    [outputNames.petsTable]: config().petsTableName,
    [outputNames.apiKeysTable]: config().apiKeysTableName,
  };
  const members = Object.entries(outputs).map(
    ([key, value]) =>
      `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  const address = await listen(async (request, response) => {
    const asked = new URLSearchParams(await text(request)).get('StackName');
    const isKnown = asked === stackName('v1-staging');
    response.writeHead(isKnown ? 200 : 400).end(
      `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/">
        <DescribeStacksResult><Stacks><member><Outputs>${members.join('')}</Outputs></member></Stacks></DescribeStacksResult>
      </DescribeStacksResponse>`,
    );
  });
  return { AWS_ENDPOINT_URL_CLOUDFORMATION: address };
}
