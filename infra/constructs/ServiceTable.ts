import { type Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { type Attribute, AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { TableDefinition } from '../../lib/dynamodb/tables.ts';
import type { Stage } from '../stages.ts';

type ServiceTableProps = {
  definition: TableDefinition;
  /** The DynamoDB operations that our functions call on the table: `GetItem` and so on. */
  actions: readonly string[];
  /** Whether the table is protected from deletion, by hand or with its stack. */
  isDurable: boolean;
  /** Whether any second of the last 35 days can be restored. */
  isRestorable: boolean;
  ceiling: Stage['tableCeiling'];
};

/** An on-demand DynamoDB table with a throughput ceiling, built from its definition in `lib/dynamodb/tables.ts`. */
export class ServiceTable extends Table {
  readonly actions: readonly string[];
  readonly #indexNames: string[];

  constructor(scope: Construct, id: string, props: ServiceTableProps) {
    const { definition, actions, isDurable, isRestorable, ceiling } = props;
    const throughput = {
      maxReadRequestUnits: ceiling.readUnits,
      maxWriteRequestUnits: ceiling.writeUnits,
    };
    super(scope, id, {
      partitionKey: toAttribute(definition.partitionKey),
      billingMode: BillingMode.PAY_PER_REQUEST,
      ...throughput,
      ...(definition.timeToLiveAttribute && {
        timeToLiveAttribute: definition.timeToLiveAttribute,
      }),
      deletionProtection: isDurable,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: isRestorable },
      removalPolicy: isDurable ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    this.actions = actions;
    this.#indexNames = Object.keys(definition.indexes);
    if (!isRestorable) {
      Validations.of(this).acknowledge({
        id: 'AwsSolutions-DDB3',
        reason: 'The data may be lost, so point-in-time recovery is not needed.',
      });
    }
    for (const [indexName, index] of Object.entries(definition.indexes)) {
      this.addGlobalSecondaryIndex({
        indexName,
        partitionKey: toAttribute(index.partitionKey),
        sortKey: toAttribute(index.sortKey),
        // A throttled index throttles writes to the table. Each write makes at most one index entry,
        // so with the same ceiling the index is never throttled first.
        ...throughput,
      });
    }
  }

  /** The metrics of the table and of each index: DynamoDB counts them separately. */
  metricsWithIndexes(metricNames: readonly string[], period: Duration): Metric[] {
    return [undefined, ...this.#indexNames].flatMap((index) =>
      metricNames.map((metricName) =>
        this.metric(metricName, {
          dimensionsMap: {
            TableName: this.tableName,
            ...(index && { GlobalSecondaryIndexName: index }),
          },
          statistic: 'Sum',
          period,
          label: index ? `${this.node.id} ${index}` : this.node.id,
        }),
      ),
    );
  }
}

function toAttribute({ name, type }: TableDefinition['partitionKey']): Attribute {
  return { name, type: type === 'S' ? AttributeType.STRING : AttributeType.NUMBER };
}
