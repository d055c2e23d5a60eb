import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { type Attribute, AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { TableDefinition } from '../../lib/tables.ts';

type DefinedTableProps = { definition: TableDefinition; isDurable: boolean };

/** A DynamoDB table made from its definition in `lib/tables.ts`, paid by the request. */
export class DefinedTable extends Table {
  constructor(scope: Construct, id: string, { definition, isDurable }: DefinedTableProps) {
    super(scope, id, {
      partitionKey: toAttribute(definition.partitionKey),
      billingMode: BillingMode.PAY_PER_REQUEST,
      ...(definition.timeToLiveAttribute && {
        timeToLiveAttribute: definition.timeToLiveAttribute,
      }),
      deletionProtection: isDurable,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: isDurable },
      removalPolicy: isDurable ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    if (!isDurable) {
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
      });
    }
  }
}

function toAttribute({ name, type }: TableDefinition['partitionKey']): Attribute {
  return { name, type: type === 'S' ? AttributeType.STRING : AttributeType.NUMBER };
}
