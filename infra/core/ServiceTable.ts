import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { type Attribute, AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { type TableDefinition, type TableName, tables } from '../../lib/tables.ts';
import { tableName } from './stackNames.ts';
import { tableCeiling } from './tableCeiling.ts';

type ServiceTableProps = {
  name: TableName;
  stage: {
    name: string;
    isDurable: boolean;
    operationThrottle: { requestsPerSecond: number };
  };
};

/**
 * An on-demand DynamoDB table with a throughput ceiling, built from its definition.
 *
 * A durable table is protected from deletion, by hand or with its stack.
 */
export class ServiceTable extends Table {
  constructor(scope: Construct, id: string, { name, stage }: ServiceTableProps) {
    const ceiling = tableCeiling(stage);
    const definition: TableDefinition = tables[name];
    const isDurable = stage.isDurable && definition.pointInTimeRecovery !== 'never';
    const canRestore = isRestorable(definition, stage);
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
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: canRestore },
      removalPolicy: isDurable ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    if (!canRestore) {
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
}

/** Returns whether a table of a stage can be restored to a point in time. */
export function isRestorable(
  { pointInTimeRecovery }: TableDefinition,
  stage: { isDurable: boolean },
): boolean {
  return pointInTimeRecovery === 'always' || (stage.isDurable && pointInTimeRecovery !== 'never');
}

function toAttribute({ name, type }: TableDefinition['partitionKey']): Attribute {
  return { name, type: type === 'S' ? AttributeType.STRING : AttributeType.NUMBER };
}
