import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  LogGroupLogDestination,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/**
 * The logged fields, by the names that queries use.
 *
 * - No field contains text that a client wrote, such as ids in a path, queries and headers.
 * - The user agent is left out, because a quote in it would break the JSON.
 * - The gateway's error messages are left out, because some contain the Authorization header.
 * - The caller's address is logged. Without a valid key, only the address shows who guesses keys or floods
 *   the service. A setting of the stage limits how long the log is kept.
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
  /** The type of a response that the gateway made itself, such as `THROTTLED`. */
  gatewayResponse: AccessLogField.contextErrorResponseType(),
};

type AccessLogProps = { stage: { isDurable: boolean }; retentionDays: RetentionDays };

/**
 * The log of all requests to the API, one JSON object a line.
 *
 * Its class is Standard. The class Infrequent Access costs half, but CloudWatch discovers no JSON fields in it,
 * so the queries of the runbook would find nothing.
 */
export class AccessLog extends LogGroup {
  /** The options that make an API stage write to the log. */
  readonly stageOptions: StageOptions;

  constructor(scope: Construct, id: string, { stage, retentionDays }: AccessLogProps) {
    super(scope, id, {
      retention: retentionDays,
      removalPolicy: stage.isDurable
        ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
        : RemovalPolicy.DESTROY,
    });
    this.stageOptions = {
      accessLogDestination: new LogGroupLogDestination(this),
      // Every value is quoted, numbers too. For a missing value the gateway writes a dash, which is no JSON value.
      accessLogFormat: AccessLogFormat.custom(JSON.stringify(accessLogFields)),
    };
  }
}
