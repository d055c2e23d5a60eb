import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Duration, RemovalPolicy, Stack, Tags, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  ApplicationLogLevel,
  Architecture,
  type CfnVersion,
  Code,
  type IFunction,
  type IVersion,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  RuntimeManagementMode,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { OperationName } from '../../lib/operations.ts';
import { bundleHash, bundlesFolder, projectRoot } from '../bundle/bundleOptions.ts';
import { releaseIdentity } from '../releaseIdentity.ts';
import type { Stage } from '../stages.ts';

type ServiceFunctionProps = {
  /** The name of the file in `functions/`. */
  name: string;
  stage: Stage;
  environment: Record<string, string>;
  /** All permissions of the function, except for its own log and traces. */
  statements: PolicyStatement[];
  isTraced?: boolean;
  timeoutSeconds?: number;
};

/** A patch of Node.js arrives with a release, so the hook and the canary test it. */
const runtimeUpdates = RuntimeManagementMode.FUNCTION_UPDATE;

/** `YYYY-MM` */
const thisMonth = new Date().toISOString().slice(0, 7);

/** One Lambda function: the bundle of a file in `functions/`, with its own role and log. */
export class ServiceFunction extends Construct {
  readonly function: LambdaFunction;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    // Longer than the SDK's three attempts, shorter than the 12 s of the integration.
    const { name, stage, environment, statements, isTraced = false, timeoutSeconds = 10 } = props;
    this.logGroup = new LogGroup(this, 'Log', {
      retention: stage.logRetentionDays,
      removalPolicy: stage.isDurable ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    // Not AWSLambdaBasicExecutionRole, which may write every log of the account.
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
        reason: 'The two X-Ray actions cannot be limited to a resource.',
      });
    }

    const { version, commit } = releaseIdentity();
    const { code, hash } = bundledCode(this, name);
    // A version as in Semantic Versioning: what follows the `+` names the build.
    const release = `${version}+${commit}.${hash}`;
    this.function = new LambdaFunction(this, 'Function', {
      // The month makes the first release of each month update every function, and so its runtime.
      description: `${name} ${release}, runtime of ${thisMonth}`,
      code,
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      runtimeManagementMode: runtimeUpdates,
      architecture: Architecture.ARM_64,
      memorySize: stage.memoryMb,
      timeout: Duration.seconds(timeoutSeconds),
      role,
      logGroup: this.logGroup,
      loggingFormat: LoggingFormat.JSON,
      // The lines of requests are INFO, and carry the metrics.
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      // No START and REPORT line of a request that succeeds. Crashes and time-outs are logged.
      systemLogLevelV2: SystemLogLevel.WARN,
      ...(isTraced && { tracing: Tracing.ACTIVE }),
      // Previous versions stay, so that a rollback takes seconds. The version of a failed deployment
      // is deleted: Lambda would refuse to publish the same code again.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      environment: { ...environment, RELEASE: release },
    });
    Tags.of(this.function).add('Commit', commit);
  }
}

const bundler = join(projectRoot, 'infra/bundle/bundleFunctions.ts');

let areBundled = false;

/**
 * Returns the bundle of a file of `functions/`, with its hash. All stages share it.
 *
 * The first call makes all bundles, in another process because constructs are synchronous and
 * esbuild's plugins are not. A stack that needs no bundling, as in the template tests, gets the
 * source folder instead.
 */
function bundledCode(scope: Construct, name: string): { code: Code; hash: string } {
  if (!Stack.of(scope).bundlingRequired) {
    return { code: Code.fromAsset(join(projectRoot, 'functions')), hash: 'unbundled' };
  }
  if (!areBundled) {
    const { status } = spawnSync(process.execPath, [bundler, bundlesFolder], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (status !== 0) throw new Error('The functions cannot be bundled: see the message above.');
    areBundled = true;
  }
  const folder = join(bundlesFolder, name);
  return {
    code: Code.fromAsset(folder),
    hash: bundleHash(readFileSync(join(folder, 'index.mjs'))),
  };
}

/** The function of an operation, or the fallback for all other requests. */
export type ApiFunctionName = OperationName | 'fallback';

/** A function behind the API. The API calls its alias `live`, which releases move to a new version. */
export class ApiFunction extends ServiceFunction {
  readonly name: ApiFunctionName;
  readonly alias: Alias;
  /** The alias, as an integration of the API takes it. */
  readonly target: IFunction;

  constructor(
    scope: Construct,
    id: string,
    props: ServiceFunctionProps & { name: ApiFunctionName },
  ) {
    super(scope, id, props);
    this.name = props.name;
    const version = this.function.currentVersion;
    // Versions do not inherit the setting of their function: their default is `Auto`.
    (version.node.defaultChild as CfnVersion).runtimePolicy =
      runtimeUpdates.runtimeManagementConfig;
    this.alias = new Alias(this, 'Alias', {
      aliasName: 'live',
      // Both casts are for `exactOptionalPropertyTypes`: the CDK declares `role` in two ways.
      version: version as IVersion,
    });
    this.target = this.alias as IFunction;
  }
}
