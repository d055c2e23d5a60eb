import { Alias, type IFunction, type IVersion } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { OperationName } from '../../lib/operations.ts';
import { ServiceFunction, type ServiceFunctionProps } from './ServiceFunction.ts';

/** The name of a function that answers requests: that of its operation, or `fallback`. */
export type LiveFunctionName = OperationName | 'fallback';

type LiveFunctionProps = Omit<ServiceFunctionProps, 'name'> & { name: LiveFunctionName };

/** A function that answers requests. The API calls its alias `live`, which releases move. */
export class LiveFunction extends ServiceFunction {
  readonly name: LiveFunctionName;
  readonly alias: Alias;
  /** The alias, as what a method of the API calls. */
  readonly target: IFunction;

  constructor(scope: Construct, id: string, props: LiveFunctionProps) {
    super(scope, id, props);
    this.name = props.name;
    this.alias = new Alias(this, 'Alias', {
      aliasName: 'live',
      // Both casts: to the compiler a `role` that may be undefined is not one that may be missing.
      version: this.function.currentVersion as IVersion,
    });
    this.target = this.alias as IFunction;
  }
}
