import { CfnResource, type Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { operations } from '../../lib/operations.ts';
import type { ApiFunction } from './ServiceFunction.ts';

/**
 * Moves the aliases after everything else in the stack, and one after the other: readers first, because they
 * must understand what a new writer stores, and the fallback last.
 *
 * A resource that fails later would undo a good release. One that fails beside a shift cancels the shift,
 * as another deployment does, and leaves the stack stuck: aws/serverless-application-model, issues 291 and 351.
 */
export function shiftTrafficLast(stack: Stack, functions: readonly ApiFunction[]): void {
  const rank = ({ name }: ApiFunction) => {
    if (name === 'fallback') return 2;
    const { access } = operations[name];
    return access.every(({ action }) => action === 'GetItem' || action === 'Query') ? 0 : 1;
  };
  const aliases = functions.toSorted((a, b) => rank(a) - rank(b)).map(({ alias }) => alias);
  // Each alias with its permission.
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
