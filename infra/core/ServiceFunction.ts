import { hash } from 'node:crypto';
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  ApplicationLogLevel,
  Architecture,
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

/** Returns the bundle of a file of `functions/`. */
export type Artifacts = (functionName: string) => {
  folder: string;
  /** `RELEASE` in every log line: the hash of the bundle, which `npm run bundle` prints. */
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
    const { folder, release } = artifacts(name);

    this.function = new LambdaFunction(this, 'Function', {
      description: name,
      code: Code.fromAsset(folder),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      // No concurrency is reserved, because a reservation fails in a small account.
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
      environment: { ...environment, RELEASE: release },
    });
  }
}

/**
 * Adds the role of a function, with exactly these permissions, and its log.
 *
 * A version of a function has its role for ever. So other permissions make another role and another version, and
 * each earlier version keeps what it needs: during an update, in a rollback and when an operator moves the alias.
 */
function addRoleAndLog(scope: Construct, stage: FunctionSettings, statements: PolicyStatement[]) {
  // `RETAIN` would also keep what a failed update created.
  const removalPolicy = stage.isDurable
    ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
    : RemovalPolicy.DESTROY;
  const logGroup = new LogGroup(scope, 'Log', {
    retention: stage.logRetentionDays,
    removalPolicy,
  });
  // AWSLambdaBasicExecutionRole would let the function write every log of the account.
  const logStatement = new PolicyStatement({
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [logGroup.logGroupArn],
  });
  const permissions = new PolicyDocument({ statements: [logStatement, ...statements] });
  const permissionsHash = hash('sha256', JSON.stringify(Stack.of(scope).resolve(permissions)));
  const role = new Role(scope, `Role${permissionsHash.slice(0, 8)}`, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: { Permissions: permissions },
  });
  role.applyRemovalPolicy(removalPolicy);
  return { role, logGroup };
}

/** A function behind the API. The API calls its alias `live`, which CloudFormation moves to a new version. */
export class ApiFunction extends ServiceFunction {
  readonly name: ApiFunctionName;
  readonly alias: Alias;

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
  }
}
