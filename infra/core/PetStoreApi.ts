import { Duration, Size, Validations } from 'aws-cdk-lib';
import {
  type CfnRestApi,
  EndpointAccessMode,
  EndpointType,
  LambdaIntegration,
  MockIntegration,
  PassthroughBehavior,
  ResponseType,
  RestApi,
  SecurityPolicy,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct, IConstruct } from 'constructs';
import { timeouts } from '../../lib/config.ts';
import { gatewayCorsHeaders, preflightHeaders } from '../../lib/cors.ts';
import { ApiError } from '../../lib/errors.ts';
import { commonHeaders } from '../../lib/operations.ts';
import { apiMethods, fallbackThrottleShare, preflightPaths } from './apiMethods.ts';
import { type GatewayError, gatewayErrors } from './gatewayErrors.ts';
import type { ApiFunction } from './ServiceFunction.ts';
import { stackName } from './stackNames.ts';

/**
 * TLS 1.2 or 1.3 with forward secrecy, for API Gateway's own address and for a custom domain.
 *
 * By default a REST API accepts TLS 1.0 at its own address. `STRICT` rejects a request whose Host
 * header differs from the server name of its TLS connection.
 */
export const tlsPolicy = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
} as const;

type PetStoreApiProps = {
  stage: {
    name: string;
    operationThrottle: Throttle;
    corsOrigins?: readonly string[] | undefined;
  };
  functions: readonly ApiFunction[];
  /** Absent: the stage has no access log. */
  logging: StageOptions | undefined;
};

type Throttle = { requestsPerSecond: number; burstRequests: number };

/** The REST API: a method for each row of the operations table, and the fallback for all other requests. */
export class PetStoreApi extends RestApi {
  readonly #hasCors: boolean;

  constructor(scope: Construct, id: string, { stage, functions, logging }: PetStoreApiProps) {
    const { operationThrottle, corsOrigins = [] } = stage;
    const hasCors = corsOrigins.length > 0;
    const methods = apiMethods();
    super(scope, id, {
      restApiName: stackName(stage.name),
      description: 'The pet store interface',
      endpointTypes: [EndpointType.REGIONAL],
      // Compression gains little for shorter responses, or makes them longer.
      minCompressionSize: Size.bytes(1024),
      // Tracing is off. `tracingEnabled: true` here and `tracing: Tracing.ACTIVE` of the functions switch it on, for $5
      // a million traces. The `xrayTraceId` of a log line finds the trace of its request.
      deployOptions: {
        stageName: stage.name,
        // The default, which HEAD and the methods of the fallback have.
        ...throttling(operationThrottle, fallbackThrottleShare),
        methodOptions: Object.fromEntries(
          [
            ...methods.filter(({ name, method }) => name !== 'fallback' && method !== 'HEAD'),
            // OPTIONS needs the throttle of an operation, because browsers send a preflight for each URL.
            ...(hasCors ? preflightPaths().map((path) => ({ method: 'OPTIONS', path })) : []),
          ].map(({ method, path }) => [`${path}/${method}`, throttling(operationThrottle, 1)]),
        ),
        ...logging,
      },
      // API Gateway writes access logs with one role for the account and Region. The role is kept on
      // deletion, because other APIs use it.
      cloudWatchRole: logging !== undefined,
    });
    // RestApi has no properties for these settings yet.
    Object.assign(this.node.defaultChild as CfnRestApi, tlsPolicy);
    // Removes RestApi's own output: the stack outputs the base address.
    this.node.tryRemoveChild('Endpoint');
    this.#hasCors = hasCors;

    const timeout = Duration.seconds(timeouts.integrationSeconds);
    const integrations = new Map(
      functions.map(({ name, alias }) => [
        name,
        // The cast is for `exactOptionalPropertyTypes`: the CDK declares `role` in two ways.
        new LambdaIntegration(alias as IFunction, { timeout, scopePermissionToMethod: false }),
      ]),
    );
    for (const { name, method, path } of methods) {
      this.root.resourceForPath(path).addMethod(method, integrations.get(name));
    }
    if (hasCors) addPreflights(this, corsOrigins);
    for (const [type, error] of Object.entries(gatewayErrors)) this.addGatewayError(type, error);
    acknowledgeFindings(this, logging !== undefined);
  }

  /** Gives a response that the gateway makes itself the Error body and the common headers. */
  addGatewayError(type: string, { code, message, headers }: GatewayError): void {
    const error = new ApiError(code, message);
    this.addGatewayResponse(type, {
      type: ResponseType.of(type),
      statusCode: String(error.status),
      responseHeaders: gatewayHeaders({ ...(this.#hasCors && gatewayCorsHeaders), ...headers }),
      templates: { 'application/json': JSON.stringify(error) },
    });
  }
}

function throttling({ requestsPerSecond, burstRequests }: Throttle, share: number) {
  return {
    throttlingRateLimit: requestsPerSecond * share,
    throttlingBurstLimit: Math.floor(burstRequests * share),
  };
}

/** Lets the gateway respond to preflight requests itself, without a key and without a function. */
function addPreflights(api: RestApi, corsOrigins: readonly string[]): void {
  const headers = gatewayHeaders({ ...preflightHeaders(), Vary: 'Origin' });
  const parameters = Object.entries(headers).map(([name, value]): [string, string] => [
    `method.response.header.${name}`,
    value,
  ]);
  // A mapping template cannot look up an exact value in a list, so it compares with each origin. HTTP/2 has
  // header names in lower case. An absent header may be an empty string.
  const isAllowed = corsOrigins.map((origin) => `$origin == "${origin}"`).join(' || ');
  const integration = new MockIntegration({
    requestTemplates: { 'application/json': '{"statusCode": 204}' },
    // By default, a request of a media type without a template gets 500 instead of 415.
    passthroughBehavior: PassthroughBehavior.NEVER,
    integrationResponses: [
      {
        statusCode: '204',
        responseParameters: Object.fromEntries(parameters),
        responseTemplates: {
          'application/json': `#set($origin = $input.params().header.get("Origin"))
#if(!$origin || $origin == "")#set($origin = $input.params().header.get("origin"))#end
#if(${isAllowed})#set($context.responseOverride.header.Access-Control-Allow-Origin = $origin)#end`,
        },
      },
    ],
  });
  for (const path of preflightPaths()) {
    api.root.resourceForPath(path).addMethod('OPTIONS', integration, {
      methodResponses: [
        {
          statusCode: '204',
          responseParameters: Object.fromEntries(parameters.map(([name]) => [name, true])),
        },
      ],
    });
  }
}

/** The headers of a response that the gateway makes itself, as its mappings: a literal is quoted. */
function gatewayHeaders(headers: Record<string, string>): Record<string, string> {
  const literals = Object.entries({ ...commonHeaders, ...headers });
  return {
    ...Object.fromEntries(literals.map(([name, value]) => [name, `'${value}'`])),
    'X-Request-Id': 'context.requestId',
  };
}

/** Says why the API departs from the rules of cdk-nag. */
function acknowledgeFindings(api: RestApi, hasAccessLog: boolean): void {
  const acknowledge = (construct: IConstruct, rule: string, reason: string) =>
    Validations.of(construct).acknowledge({ id: `AwsSolutions-${rule}`, reason });
  acknowledge(
    api,
    'APIG2',
    'The functions validate requests after authentication. The gateway would send 400 to a caller without a valid key, who must only get 401.',
  );
  for (const method of api.methods) {
    const reason = 'The interface uses bearer API keys. Each function checks the key first.';
    acknowledge(method, 'APIG4', reason);
    acknowledge(method, 'COG4', reason);
  }
  acknowledge(
    api.deploymentStage,
    'APIG6',
    'The execution log repeats headers, including the Authorization header of some requests. The access log and the logs of the functions replace it.',
  );
  if (!hasAccessLog) {
    acknowledge(
      api.deploymentStage,
      'APIG1',
      'The access log needs a role of the account, which stays when the stack is deleted. This stage must leave nothing behind.',
    );
    return;
  }
  acknowledge(
    api.node.findChild('CloudWatchRole'),
    'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
    'API Gateway tests the role and refuses one with fewer permissions than this policy. All APIs of the account share the role, so their log groups are not known here.',
  );
}
