import { text } from 'node:stream/consumers';
import { stackName, tableOutput } from '../../infra/stackNames.ts';
import { config } from '../../lib/config.ts';
import { mapTables } from '../../lib/tables.ts';
import { otherName } from './bareStage.ts';
import { listen } from './listen.ts';

/**
 * Fakes CloudFormation, which knows only the stack of a stage, with the tables of this test file.
 *
 * Returns the environment for a command.
 */
export async function fakeStack(stage = otherName): Promise<Record<string, string>> {
  const members = mapTables(
    (name) =>
      `<member><OutputKey>${tableOutput(name)}</OutputKey><OutputValue>${config().tableNames[name]}</OutputValue></member>`,
  );
  const address = await listen(async (request, response) => {
    const asked = new URLSearchParams(await text(request)).get('StackName');
    const isKnown = asked === stackName(stage);
    response.writeHead(isKnown ? 200 : 400).end(
      `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/">
        <DescribeStacksResult><Stacks><member><Outputs>${Object.values(members).join('')}</Outputs></member></Stacks></DescribeStacksResult>
      </DescribeStacksResponse>`,
    );
  });
  return { AWS_ENDPOINT_URL_CLOUDFORMATION: address };
}
