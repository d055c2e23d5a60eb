import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  LogGroupLogDestination,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Stage } from '../stages.ts';

/**
 * What is logged of a request, by the names that queries use.
 *
 * None of it is text that a client wrote: not the path with its ids, no query, no header. The user
 * agent is missing for that reason too: a quote in it would end the JSON. The gateway's own error
 * messages repeat the Authorization header of some requests. The address of the caller stays,
 * because without a live key nothing else tells who tries keys or floods the service.
 */
const fields = {
  requestId: AccessLogField.contextRequestId(),
  functionRequestId: AccessLogField.contextAwsEndpointRequestId(),
  traceId: AccessLogField.contextXrayTraceId(),
  requestedAtEpochMs: AccessLogField.contextRequestTimeEpoch(),
  sourceIp: AccessLogField.contextIdentitySourceIp(),
  method: AccessLogField.contextHttpMethod(),
  resourcePath: AccessLogField.contextResourcePath(),
  status: AccessLogField.contextStatus(),
  latencyMs: AccessLogField.contextResponseLatency(),
  integrationStatus: AccessLogField.contextIntegrationStatus(),
  integrationLatencyMs: AccessLogField.contextIntegrationLatency(),
  responseBytes: AccessLogField.contextResponseLength(),
  /** The type of the gateway's own response, where it answered by itself: `THROTTLED`, for one. */
  gatewayResponse: AccessLogField.contextErrorResponseType(),
  wafResponse: AccessLogField.contextWafResponseCode(),
};

/** The log of all requests to the API, one JSON object a line, kept as long as the stage's others. */
export class AccessLog extends LogGroup {
  /** What makes a stage of an API write to it. */
  readonly stageOptions: StageOptions;

  constructor(scope: Construct, id: string, { stage }: { stage: Stage }) {
    super(scope, id, {
      retention: stage.logRetentionDays,
      removalPolicy: stage.isDurable ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    this.stageOptions = {
      accessLogDestination: new LogGroupLogDestination(this),
      // Each value is a string, also a number: where there is none, the gateway writes a bare dash.
      accessLogFormat: AccessLogFormat.custom(JSON.stringify(fields)),
    };
  }
}
