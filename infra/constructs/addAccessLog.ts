import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  LogGroupLogDestination,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Stage } from '../stageRules.ts';

/**
 * The logged fields, by the names that queries use.
 *
 * None contains text that a client wrote: no path with ids, no query, no header. The user agent is left
 * out because a quote in it would break the JSON. The gateway's error messages are left out because some
 * contain the Authorization header. The caller's address is logged: without a valid key, only the address
 * shows who guesses keys or floods the service. Its retention is a setting of the stage.
 */
const accessLogFields = {
  requestId: AccessLogField.contextRequestId(),
  functionRequestId: AccessLogField.contextAwsEndpointRequestId(),
  sourceIp: AccessLogField.contextIdentitySourceIp(),
  method: AccessLogField.contextHttpMethod(),
  resourcePath: AccessLogField.contextResourcePath(),
  status: AccessLogField.contextStatus(),
  latencyMs: AccessLogField.contextResponseLatency(),
  integrationLatencyMs: AccessLogField.contextIntegrationLatency(),
  responseBytes: AccessLogField.contextResponseLength(),
  /** The type of a response that the gateway made itself, such as `THROTTLED` or `WAF_FILTERED`. */
  gatewayResponse: AccessLogField.contextErrorResponseType(),
};

/**
 * Adds the log of all requests to the API, one JSON object a line, and returns the options that make an API
 * stage write to it.
 *
 * Its class is Standard. In the class Infrequent Access, which costs half, CloudWatch discovers no fields
 * in JSON, so the queries of the runbook would find nothing.
 */
export function addAccessLog(scope: Construct, stage: Stage): StageOptions | undefined {
  const { accessLogRetentionDays: retention, isDurable } = stage;
  if (retention === 'none') return undefined;
  const log = new LogGroup(scope, 'AccessLog', {
    retention,
    removalPolicy: isDurable ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  });
  return {
    accessLogDestination: new LogGroupLogDestination(log),
    // Every value is quoted, numbers too: the gateway writes a bare dash for a missing value.
    accessLogFormat: AccessLogFormat.custom(JSON.stringify(accessLogFields)),
  };
}
