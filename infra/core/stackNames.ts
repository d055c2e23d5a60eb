import type { TableName } from '../../lib/tables.ts';

export function stackName(stageName: string): string {
  return `PetStore-${stageName}`;
}

/** The output with the base address, which ends in `/v1`. */
export const baseAddressOutput = 'BaseAddress';

/** The beginning of the `Sid` of each permission that no function of the template uses. */
export const unusedSidPrefix = 'Unused';

/** The construct of a table: `ApiKeys`. */
export function tableConstruct(name: TableName): string {
  return name.replace(/^./, (letter) => letter.toUpperCase());
}

/**
 * The name of a table on AWS: `PetStore-v1-staging-ApiKeys`.
 *
 * CloudFormation refuses an update that would replace a table with a name, and a second, empty stage beside
 * the tables of a lost one.
 */
export function tableName(stageName: string, name: TableName): string {
  return `${stackName(stageName)}-${tableConstruct(name)}`;
}
