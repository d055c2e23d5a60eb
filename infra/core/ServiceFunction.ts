import { DefaultStackSynthesizer, Duration, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  ApplicationLogLevel,
  Architecture,
  type CfnFunction,
  Code,
  type IVersion,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { timeouts } from '../../lib/config.ts';
import type { ApiFunctionName } from './apiMethods.ts';

/** The bundles to deploy, and the commit that they are built from. */
export type Artifacts = {
  /** Returns the folder with the bundle of a file of `functions/`. */
  bundleOf: (functionName: string) => string;
  /** `RELEASE` in every log line: the last commit that changed the functions, which `app.ts` reads. */
  release: string;
};

/** The settings of a stage that its functions have. */
export type FunctionSettings = {
  isDurable: boolean;
  memoryMb: number;
  logRetentionDays: RetentionDays;
};

type ServiceFunctionProps = {
  /** The name of the file in `functions/`. */
  name: string;
  stage: FunctionSettings;
  artifacts: Artifacts;
  environment: Record<string, string>;
  /** All permissions of the function, except for its log. */
  statements: PolicyStatement[];
  timeoutSeconds?: number;
};

/** One Lambda function: the bundle of a file in `functions/`, with its own role and log. */
export class ServiceFunction extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const { name, stage, artifacts, environment, statements } = props;
    const { timeoutSeconds = timeouts.functionSeconds } = props;
    const { role, logGroup } = addRoleAndLog(this, stage, statements);

    this.function = new LambdaFunction(this, 'Function', {
      description: `${name} ${artifacts.release}`,
      code: Code.fromAsset(artifacts.bundleOf(name)),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: stage.memoryMb,
      timeout: Duration.seconds(timeoutSeconds),
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      // Request lines have the level INFO. They contain the metrics.
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      // Leaves out the START and REPORT lines of requests that succeed, but logs crashes and time-outs.
      systemLogLevelV2: SystemLogLevel.WARN,
      // Previous versions stay, so that a rollback takes seconds. The version of a failed deployment
      // is deleted. Otherwise Lambda would refuse to publish the same code again.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      environment: { ...environment, RELEASE: artifacts.release },
    });
    pinBucket(this.function);
  }
}

/** Adds the role of a function, with exactly these permissions, and its log. */
function addRoleAndLog(scope: Construct, stage: FunctionSettings, statements: PolicyStatement[]) {
  const logGroup = new LogGroup(scope, 'Log', {
    retention: stage.logRetentionDays,
    // `RETAIN` would also keep the log that a failed update created.
    removalPolicy: stage.isDurable
      ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
      : RemovalPolicy.DESTROY,
  });
  // AWSLambdaBasicExecutionRole would let the function write every log of the account.
  const role = new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
  });
  const logStatement = new PolicyStatement({
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [logGroup.logGroupArn],
  });
  for (const statement of [logStatement, ...statements]) role.addToPolicy(statement);
  return { role, logGroup };
}

/**
 * Names the bucket of the code in the same way with and without an account in the settings.
 *
 * With an account, the CDK would write a literal. The changed text would give every version a new logical id.
 * But Lambda refuses a second version of unchanged code: “A version for this Lambda function exists”.
 */
function pinBucket(lambdaFunction: LambdaFunction): void {
  const bucket = Fn.sub(DefaultStackSynthesizer.DEFAULT_FILE_ASSETS_BUCKET_NAME, {
    Qualifier: String(Stack.of(lambdaFunction).synthesizer.bootstrapQualifier),
  });
  (lambdaFunction.node.defaultChild as CfnFunction).addPropertyOverride('Code.S3Bucket', bucket);
}

/** A function behind the API. The API calls its alias `live`, which releases move to a new version. */
export class ApiFunction extends ServiceFunction {
  readonly name: ApiFunctionName;
  readonly alias: Alias;
  /** The ARN of the alias, without a reference. A resource that uses the ARN does not wait for the alias. */
  readonly aliasArn: string;

  constructor(
    scope: Construct,
    id: string,
    props: ServiceFunctionProps & { name: ApiFunctionName },
  ) {
    super(scope, id, props);
    this.name = props.name;
    this.alias = new Alias(this, 'Alias', {
      aliasName: 'live',
      // This cast is for `exactOptionalPropertyTypes`: the CDK declares `role` in two ways.
      version: this.function.currentVersion as IVersion,
    });
    this.aliasArn = `${this.function.functionArn}:${this.alias.aliasName}`;
  }
}
