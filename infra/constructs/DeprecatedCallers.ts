import { Stack } from 'aws-cdk-lib';
import {
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { operations } from '../../lib/operations.ts';
import type { ApiFunction } from './ServiceFunction.ts';

const title = 'Calls of deprecated operations, by API key';

/** Requests with a valid key: only their lines have both fields. The release check is not a client. */
const filter = "ispresent(apiKeyId) and ispresent(status) and apiKeyId != 'release-check'";
const stats = 'count(*) as calls, max(@timestamp) as lastCall by apiKeyId, operation';
const sort = 'calls desc';

/**
 * The saved query that tells which clients still call deprecated operations.
 *
 * A metric by API key would cost $0.30 a month for each client. The log lines have the key's id anyway.
 */
export class DeprecatedCallers extends QueryDefinition {
  constructor(scope: Construct, id: string, { functions }: { functions: readonly ApiFunction[] }) {
    super(scope, id, {
      // The console shows the name of the stack as a folder.
      queryDefinitionName: `${Stack.of(scope).stackName}/${title}`,
      queryString: new QueryString({ filterStatements: [filter], statsStatements: [stats], sort }),
      logGroups: deprecatedOf(functions).map(({ logGroup }) => logGroup),
    });
  }
}

/**
 * The same query for a dashboard, if an operation is deprecated.
 *
 * It runs each time the dashboard is shown, at $0.005 for each GB of log in its time range.
 */
export function deprecatedCallersWidgets(functions: readonly ApiFunction[]): IWidget[] {
  const logGroupNames = deprecatedOf(functions).map(({ logGroup }) => logGroup.logGroupName);
  if (logGroupNames.length === 0) return [];
  const widget = new LogQueryWidget({
    title,
    view: LogQueryVisualizationType.TABLE,
    queryLines: [`filter ${filter}`, `stats ${stats}`, `sort ${sort}`],
    logGroupNames,
    width: 6,
    height: 6,
  });
  return [widget];
}

function deprecatedOf(functions: readonly ApiFunction[]): ApiFunction[] {
  return functions.filter(({ name }) => name !== 'fallback' && 'deprecation' in operations[name]);
}
