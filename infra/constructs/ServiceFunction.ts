import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Stage } from '../stages.ts';
import { bundledCode } from './bundledCode.ts';

export type ServiceFunctionProps = {
  /** The file in `functions/`. */
  name: string;
  stage: Stage;
  environment: Record<string, string>;
  /** Everything that the function may do, beside writing its own log and traces. */
  statements: PolicyStatement[];
  isTraced?: boolean;
  timeoutSeconds?: number;
};

/** One Lambda function: a file of `functions/` as a bundle, with a role and a log of its own. */
export class ServiceFunction extends Construct {
  readonly function: LambdaFunction;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    // Above the SDK's three attempts, below the 12 s of the integration.
    const { name, stage, environment, statements, isTraced = false, timeoutSeconds = 10 } = props;
    this.logGroup = new LogGroup(this, 'Log', {
      retention: stage.logRetentionDays,
      removalPolicy: stage.isDurable ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    // Not AWSLambdaBasicExecutionRole: that one may write every log of the account.
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    const logStatement = new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [this.logGroup.logGroupArn],
    });
    for (const statement of [logStatement, ...statements]) role.addToPolicy(statement);
    if (isTraced) {
      Validations.of(role).acknowledge({
        id: 'AwsSolutions-IAM5[Resource::*]',
        reason: 'X-Ray has no resources that its two actions could be limited to.',
      });
    }

    this.function = new LambdaFunction(this, 'Function', {
      code: bundledCode(this, name),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: stage.memoryMb,
      timeout: Duration.seconds(timeoutSeconds),
      role,
      logGroup: this.logGroup,
      loggingFormat: LoggingFormat.JSON,
      ...(isTraced && { tracing: Tracing.ACTIVE }),
      // Old versions stay, so that the alias can be put back in seconds. A version that came with a
      // deployment that failed goes: Lambda would refuse to publish it a second time.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      environment,
    });
  }
}
