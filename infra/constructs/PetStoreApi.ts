import { Duration, Validations } from 'aws-cdk-lib';
import {
  type CfnRestApi,
  EndpointType,
  type IResource,
  LambdaIntegration,
  Resource,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { basePath, type OperationName, operationEntries } from '../../lib/operations.ts';
import { type Stage, stackName } from '../stages.ts';
import type { AccessLog } from './AccessLog.ts';
import { addGatewayResponses } from './gatewayResponses.ts';
import { tlsPolicy } from './tlsPolicy.ts';

type PetStoreApiProps = {
  stage: Stage;
  /** Whether clients have another address to come by; then API Gateway's own one is closed. */
  hasCustomDomain: boolean;
  hasFirewall: boolean;
  /** Makes the function of an operation, or the one that answers what no operation does. */
  addFunction: (name: OperationName | 'fallback') => IFunction;
  accessLog: AccessLog | undefined;
  isTraced: boolean;
};

/** The REST API: a method for each row of the operations table, and the fallback for the rest. */
export class PetStoreApi extends RestApi {
  constructor(
    scope: Construct,
    id: string,
    { stage, hasCustomDomain, hasFirewall, addFunction, accessLog, isTraced }: PetStoreApiProps,
  ) {
    super(scope, id, {
      restApiName: stackName(stage.name),
      description: 'The pet store interface',
      endpointTypes: [EndpointType.REGIONAL],
      disableExecuteApiEndpoint: hasCustomDomain,
      deployOptions: {
        stageName: stage.name,
        throttlingRateLimit: stage.throttle.requestsPerSecond,
        throttlingBurstLimit: stage.throttle.burstRequests,
        tracingEnabled: isTraced,
        ...accessLog?.stageOptions,
      },
      // One role serves a whole account and Region, so no single stack may own it.
      cloudWatchRole: false,
    });
    // RestApi has no properties for it yet.
    Object.assign(this.node.defaultChild as CfnRestApi, tlsPolicy);
    // RestApi's own output; the stack has one with the base address.
    this.node.tryRemoveChild('Endpoint');

    for (const [name, { method, path }] of operationEntries) {
      const resource = this.root.resourceForPath(`${basePath}${path}`);
      resource.addMethod(method, integrate(addFunction(name)));
    }
    addFallback(this.root, integrate(addFunction('fallback')));
    addGatewayResponses(this);
    acknowledgeFindings(this, { hasAccessLog: accessLog !== undefined, hasFirewall });
  }
}

/** Longer than the function's own 10 s, so that the function's answer comes first. */
const integrationTimeout = Duration.seconds(12);

function integrate(target: IFunction): LambdaIntegration {
  return new LambdaIntegration(target, {
    timeout: integrationTimeout,
    // One permission a function for this API, not one a method.
    scopePermissionToMethod: false,
  });
}

/**
 * Sends all other methods and paths to the fallback function.
 *
 * Left to itself API Gateway answers them with a 403 that repeats the Authorization header. Every
 * resource gets the `{proxy+}` that its children leave room for, so that no branch of the tree ends
 * in the gateway.
 */
function addFallback(resource: IResource, fallback: LambdaIntegration): void {
  resource.addMethod('ANY', fallback);
  const children = resource.node.children.filter(isResource);
  for (const child of children) addFallback(child, fallback);
  if (!children.some(({ path }) => path.endsWith('}'))) {
    resource.addResource('{proxy+}').addMethod('ANY', fallback);
  }
}

function isResource(construct: unknown): construct is IResource {
  return construct instanceof Resource;
}

/** What cdk-nag would have otherwise, and why it is as it is. */
function acknowledgeFindings(
  api: RestApi,
  { hasAccessLog, hasFirewall }: { hasAccessLog: boolean; hasFirewall: boolean },
): void {
  Validations.of(api).acknowledge({
    id: 'AwsSolutions-APIG2',
    reason:
      'The functions validate, after they authenticated: the gateway would answer 400 to a caller without a key, who shall learn nothing but 401.',
  });
  for (const method of api.methods) {
    Validations.of(method).acknowledge(
      {
        id: 'AwsSolutions-APIG4',
        reason: 'The interface has bearer API keys, which each function checks first of all.',
      },
      { id: 'AwsSolutions-COG4', reason: 'The interface has bearer API keys, and no user pool.' },
    );
  }
  Validations.of(api.deploymentStage).acknowledge({
    id: 'AwsSolutions-APIG6',
    reason:
      'The execution log repeats headers, the Authorization header of some requests among them; the access log and the functions’ own say what happened.',
  });
  if (!hasFirewall) {
    Validations.of(api.deploymentStage).acknowledge({
      id: 'AwsSolutions-APIG3',
      reason: 'This deployment goes without a firewall.',
    });
  }
  if (!hasAccessLog) {
    Validations.of(api.deploymentStage).acknowledge({
      id: 'AwsSolutions-APIG1',
      reason: 'This deployment was asked to go without an access log.',
    });
  }
}
