import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { type Attribute, AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { TableDefinition } from '../../lib/dynamodb/tables.ts';
import type { Stage } from '../stages.ts';

type DefinedTableProps = {
  definition: TableDefinition;
  /** Whether it withstands its deletion, by hand or with its stack. */
  isDurable: boolean;
  /** Whether the last 35 days can be restored, to the second. */
  isRestorable: boolean;
  ceiling: Stage['tableCeiling'];
};

/** A DynamoDB table made from its definition in `lib/dynamodb/tables.ts`, paid by the request up to a ceiling. */
export class DefinedTable extends Table {
  constructor(
    scope: Construct,
    id: string,
    { definition, isDurable, isRestorable, ceiling }: DefinedTableProps,
  ) {
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
    if (!isRestorable) {
      Validations.of(this).acknowledge({
        id: 'AwsSolutions-DDB3',
        reason: 'What it holds may be lost, so there is nothing to recover to a point in time.',
      });
    }
    for (const [indexName, index] of Object.entries(definition.indexes)) {
      this.addGlobalSecondaryIndex({
        indexName,
        partitionKey: toAttribute(index.partitionKey),
        sortKey: toAttribute(index.sortKey),
        // An index that is throttled throttles the table's writes. Each of those makes one entry in it
        // at most, so with the same ceiling it is never the first to be reached.
        ...throughput,
      });
    }
  }
}

function toAttribute({ name, type }: TableDefinition['partitionKey']): Attribute {
  return { name, type: type === 'S' ? AttributeType.STRING : AttributeType.NUMBER };
}
