import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  LogGroupLogDestination,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { metricNamespace } from '../../lib/metrics.ts';
import type { Stage } from '../stageSchema.ts';

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
  /** The type of a response that the gateway made itself, such as `THROTTLED` or `WAF_FILTERED`. */
  gatewayResponse: AccessLogField.contextErrorResponseType(),
};

export type ResponseMetrics = Record<keyof typeof countedResponses, Metric>;

/**
 * The responses that alarms count. The conditions compare the text of `status`, because the log quotes its
 * values and a comparison of numbers matches no quoted value.
 *
 * API Gateway's own metrics are not exact. Its `4XXError` also counts “modified gateway responses”, such as
 * the 5xx that clients get while a function crashes.
 */
const countedResponses = {
  FailedRequests: ['=', '5*'],
  /** A 4xx is the client's error. A flood of 4xx must not make the share of failed requests look small. */
  ValidRequests: ['!=', '4*'],
  /** Refused by a throttle or the firewall. No function sends a 429. */
  RefusedRequests: ['=', '429'],
} as const;

type AccessLogProps = {
  stage: Stage;
  retentionDays: Exclude<Stage['accessLogRetentionDays'], 'none'>;
};

/**
 * The log of all requests to the API, one JSON object a line.
 *
 * Its class is Standard. The class Infrequent Access costs half, but has no metric filters. CloudWatch also
 * discovers no JSON fields in it, so the queries of the runbook would find nothing.
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

  addResponseMetrics(stageName: string): ResponseMetrics {
    const metrics = Object.entries(countedResponses).map(([name, [comparison, status]]) => {
      const filter = new MetricFilter(this, name, {
        logGroup: this,
        filterPattern: FilterPattern.stringValue('$.status', comparison, status),
        // The namespace contains the stage, because a metric with a default value can have no dimensions.
        metricNamespace: `${metricNamespace}/${stageName}`,
        metricName: name,
        metricValue: '1',
        // Without a default value, the last 5xx would stay the newest value, and keep an alarm on.
        defaultValue: 0,
      });
      return [name, filter.metric({ statistic: 'Sum' })] as const;
    });
    return Object.fromEntries(metrics) as ResponseMetrics;
  }
}
