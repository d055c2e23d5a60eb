import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  LogGroupLogDestination,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import { LogGroup, LogGroupClass, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

type AccessLogProps = { isDurable: boolean; retention: RetentionDays };

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
 * The log of all requests to the API: one JSON object a line.
 *
 * Infrequent Access halves the price of a byte. Logs Insights reads it. It takes no metric filters and
 * no embedded metrics, so the functions log elsewhere.
 */
export class AccessLog extends LogGroup {
  /** The options that make an API stage write to this log. */
  readonly stageOptions: StageOptions;

  constructor(scope: Construct, id: string, { isDurable, retention }: AccessLogProps) {
    super(scope, id, {
      logGroupClass: LogGroupClass.INFREQUENT_ACCESS,
      retention,
      removalPolicy: isDurable ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    this.stageOptions = {
      accessLogDestination: new LogGroupLogDestination(this),
      // Every value is quoted, numbers too: the gateway writes a bare dash for a missing value.
      accessLogFormat: AccessLogFormat.custom(JSON.stringify(accessLogFields)),
    };
  }
}
