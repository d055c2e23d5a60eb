import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { addSavedQuery } from '../../core/addSavedQueries.ts';
import {
  type Artifacts,
  type FunctionSettings,
  ServiceFunction,
} from '../../core/ServiceFunction.ts';

type HeartbeatProps = {
  stage: FunctionSettings & { name: string };
  artifacts: Artifacts;
  /** The address that clients use, ending in `/v1`. */
  baseAddress: string;
};

/** The saved query of the failed runs. Each message names the operations. */
export const heartbeatQuery = 'Failed heartbeats';

/**
 * Calls each operation of the stage every minute, as a client does. An alarm notices failed and missing runs.
 *
 * The other alarms count the failures of requests. They notice nothing if no request arrives: at a quiet hour,
 * or because of a wrong DNS record or an expired certificate.
 */
export class Heartbeat extends ServiceFunction {
  constructor(scope: Construct, id: string, { stage, artifacts, baseAddress }: HeartbeatProps) {
    super(scope, id, {
      name: 'heartbeat',
      stage,
      artifacts,
      environment: { BASE_ADDRESS: baseAddress, STAGE: stage.name },
      statements: [],
      // Longer than its requests, see functions/parts/heartbeat.ts, and shorter than a minute.
      timeoutSeconds: 25,
    });
    // By default Lambda retries a failed run. The alarm would count each retry as another run.
    this.function.configureAsyncInvoke({ retryAttempts: 0 });
    new Rule(this, 'Schedule', {
      description: `Runs the heartbeat of ${stage.name}`,
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new LambdaFunction(this.function as IFunction)],
    });
    const query = {
      fields: ['@timestamp', '@message'],
      filterStatements: ['@message like /errorMessage/'],
      sort: '@timestamp desc',
      limit: 20,
    };
    addSavedQuery(this, heartbeatQuery, query, [this.function.logGroup]);
  }
}
