import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import {
  type Attribute,
  AttributeType,
  BillingMode,
  type ITable,
  Table,
} from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import {
  mapTables,
  type TableDefinition,
  type TableName,
  tableName,
  tables,
} from '../../lib/tables.ts';
import { tableConstruct } from './stackNames.ts';

type ServiceTableProps = {
  name: TableName;
  stage: {
    name: string;
    isDurable: boolean;
    tableCeiling: { readUnits: number; writeUnits: number };
  };
};

/**
 * An on-demand DynamoDB table with a throughput ceiling, built from its definition.
 *
 * A durable stage protects every table from deletion, even one whose items may be lost: CloudFormation imports
 * the tables of a lost stack only if all of them exist.
 */
export class ServiceTable extends Table {
  constructor(scope: Construct, id: string, { name, stage }: ServiceTableProps) {
    const definition: TableDefinition = tables[name];
    const canRestore = isRestorable(definition, stage);
    const throughput = {
      maxReadRequestUnits: stage.tableCeiling.readUnits,
      maxWriteRequestUnits: stage.tableCeiling.writeUnits,
    };
    super(scope, id, {
      tableName: tableName(stage.name, name),
      partitionKey: toAttribute(definition.partitionKey),
      billingMode: BillingMode.PAY_PER_REQUEST,
      ...throughput,
      ...(definition.timeToLiveAttribute && {
        timeToLiveAttribute: definition.timeToLiveAttribute,
      }),
      deletionProtection: stage.isDurable,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: canRestore },
      removalPolicy: stage.isDurable ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    if (!canRestore) {
      Validations.of(this).acknowledge({
        id: 'AwsSolutions-DDB3',
        reason: 'A loss of these items harms little, as lib/tables.ts says.',
      });
    }
    for (const [indexName, index] of Object.entries(definition.indexes)) {
      this.addGlobalSecondaryIndex({
        indexName,
        partitionKey: toAttribute(index.partitionKey),
        sortKey: toAttribute(index.sortKey),
        // A throttled index throttles writes to the table. Each write makes at most one entry in each index, so with
        // the same ceiling no index is throttled first. Only a changed key makes two: it also removes the old entry.
        ...throughput,
      });
    }
  }
}

/** Returns the tables of a stage for another stack, which finds them by their names. */
export function importTables(scope: Construct, stageName: string): Record<TableName, ITable> {
  return mapTables((name) =>
    Table.fromTableName(scope, tableConstruct(name), tableName(stageName, name)),
  );
}

/** Returns whether a table of a stage can be restored to a point in time. */
function isRestorable(
  { pointInTimeRecovery }: TableDefinition,
  stage: { isDurable: boolean },
): boolean {
  return pointInTimeRecovery === 'always' || (stage.isDurable && pointInTimeRecovery !== 'never');
}

function toAttribute({ name, type }: TableDefinition['partitionKey']): Attribute {
  return { name, type: type === 'S' ? AttributeType.STRING : AttributeType.NUMBER };
}
