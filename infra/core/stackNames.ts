import type { TableName } from '../../lib/tables.ts';

export function stackName(stageName: string): string {
  return `PetStore-${stageName}`;
}

export function tablesStackName(stageName: string): string {
  return `${stackName(stageName)}-tables`;
}

/** The output with the base address, which ends in `/v1`. */
export const baseAddressOutput = 'BaseAddress';

/** The outputs with the ARNs of the alarms that roll a release back. */
export const releaseAlarmOutput = 'ReleaseAlarmArn';
export const heartbeatAlarmOutput = 'HeartbeatAlarmArn';

/** The construct of a table: `ApiKeys`. */
export function tableConstruct(name: TableName): string {
  return name.replace(/^./, (letter) => letter.toUpperCase());
}
