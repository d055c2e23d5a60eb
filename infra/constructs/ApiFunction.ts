import { join } from 'node:path';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Stage } from '../stages.ts';

const projectRoot = join(import.meta.dirname, '..', '..');

type ApiFunctionProps = {
  /** The file in `functions/`, and the name that the function has everywhere. */
  name: string;
  stage: Stage;
  environment: Record<string, string>;
  /** Everything that the function may do, beside writing its own log. */
  statements: PolicyStatement[];
};

/** One Lambda function: a file of `functions/` as an ESM bundle, with a role and a log of its own. */
export class ApiFunction extends Construct {
  readonly function: NodejsFunction;

  constructor(
    scope: Construct,
    id: string,
    { name, stage, environment, statements }: ApiFunctionProps,
  ) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'Log', {
      retention: stage.logRetentionDays,
      removalPolicy: stage.isDurable ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    // Not AWSLambdaBasicExecutionRole: that one may write every log of the account.
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    const logStatement = new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logGroup.logGroupArn],
    });
    for (const statement of [logStatement, ...statements]) role.addToPolicy(statement);

    this.function = new NodejsFunction(this, 'Function', {
      entry: join(projectRoot, 'functions', `${name}.ts`),
      projectRoot,
      depsLockFilePath: join(projectRoot, 'package-lock.json'),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: stage.memoryMb,
      // Above the SDK's three attempts, below the 12 s of the integration.
      timeout: Duration.seconds(10),
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      environment,
      bundling: {
        format: OutputFormat.ESM,
        target: 'node24',
        // The ESM builds of the SDK: its CommonJS builds cannot be tree-shaken.
        mainFields: ['module', 'main'],
        minify: true,
        // With the SDK of the lock file, not the one that the runtime happens to carry.
        bundleAwsSDK: true,
      },
    });
  }
}
