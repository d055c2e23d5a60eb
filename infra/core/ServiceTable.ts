import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { type Attribute, AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { operationEntries } from '../../lib/operations.ts';
import { type TableDefinition, type TableName, tables } from '../../lib/tables.ts';
import type { Stage } from '../stageSchema.ts';
import { tableName } from './stackNames.ts';
import { tableCeiling } from './tableCeiling.ts';

type ServiceTableProps = { name: TableName; stage: Stage };

/**
 * An on-demand DynamoDB table with a throughput ceiling, built from its definition.
 *
 * A durable table is protected from deletion, by hand or with its stack.
 */
export class ServiceTable extends Table {
  /** Whether each deletion of an item is a mistake, because no operation deletes items. A restore undoes it. */
  readonly hasPermanentItems: boolean;
  readonly indexNames: readonly string[];

  constructor(scope: Construct, id: string, { name, stage }: ServiceTableProps) {
    const ceiling = tableCeiling(stage);
    const definition: TableDefinition = tables[name];
    const { pointInTimeRecovery } = definition;
    const isDurable = stage.isDurable && pointInTimeRecovery !== 'never';
    const isRestorable = isDurable || pointInTimeRecovery === 'always';
    const throughput = {
      maxReadRequestUnits: ceiling.readUnits,
      maxWriteRequestUnits: ceiling.writeUnits,
    };
    super(scope, id, {
      tableName: tableName(stage.name, name),
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
    this.hasPermanentItems =
      isRestorable &&
      !operationEntries.some(([, { access }]) =>
        access.some((each) => each.table === name && each.action === 'DeleteItem'),
      );
    this.indexNames = Object.keys(definition.indexes);
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
  metricsWithIndexes(metricNames: readonly string[]): Metric[] {
    return [undefined, ...this.indexNames].flatMap((index) =>
      metricNames.map((metricName) =>
        this.metric(metricName, {
          dimensionsMap: {
            TableName: this.tableName,
            ...(index && { GlobalSecondaryIndexName: index }),
          },
          statistic: 'Sum',
          label: index ? `${this.node.id} ${index}` : this.node.id,
        }),
      ),
    );
  }
}

function toAttribute({ name, type }: TableDefinition['partitionKey']): Attribute {
  return { name, type: type === 'S' ? AttributeType.STRING : AttributeType.NUMBER };
}
