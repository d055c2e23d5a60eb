import { CfnResource, type Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { type Operation, operations } from '../../lib/operations.ts';
import type { ApiFunction } from './ServiceFunction.ts';

/**
 * Moves the aliases one after the other, after everything else in the stack. Readers come first, because they
 * must understand what a new writer stores. The fallback comes last.
 *
 * If a resource failed after a shift, CloudFormation would undo a good release. If a resource or another
 * deployment failed during a shift, the shift would be cancelled, and the stack has got stuck (2018):
 * aws/serverless-application-model, issues 291 and 351.
 */
export function shiftTrafficLast(stack: Stack, functions: readonly ApiFunction[]): void {
  const rank = ({ name }: ApiFunction) => {
    if (name === 'fallback') return 2;
    const { access }: Operation = operations[name];
    return access.every(({ action }) => action === 'GetItem' || action === 'Query') ? 0 : 1;
  };
  const aliases = functions.toSorted((a, b) => rank(a) - rank(b)).map(({ alias }) => alias);
  // The aliases and the permission of each.
  const shifted = aliases.flatMap(resourcesOf);
  let earlier = resourcesOf(stack).filter((each) => !shifted.includes(each));
  for (const alias of aliases) {
    const resource = alias.node.defaultChild as CfnResource;
    for (const each of earlier) resource.addResourceDependency(each);
    earlier = resourcesOf(alias);
  }
}

function resourcesOf(scope: IConstruct): CfnResource[] {
  return scope.node.findAll().filter((each) => CfnResource.isCfnResource(each));
}
