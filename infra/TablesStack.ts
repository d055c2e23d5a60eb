import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { mapTables } from '../lib/tables.ts';
import { ServiceTable } from './core/ServiceTable.ts';
import { tableConstruct } from './core/stackNames.ts';
import type { Stage } from './stageSchema.ts';

type TablesStackProps = StackProps & { stage: Stage };

/**
 * The tables of a stage. A release of the code cannot touch them, and they outlive the stack of the service.
 *
 * The service finds them by their names, so neither stack refers to a value of the other.
 */
export class TablesStack extends Stack {
  constructor(scope: Construct, id: string, { stage, ...props }: TablesStackProps) {
    super(scope, id, { ...props, description: `The tables of the pet store, stage ${stage.name}` });
    mapTables((name) => new ServiceTable(this, tableConstruct(name), { name, stage }));
  }
}
