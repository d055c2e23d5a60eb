import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** The JSON text of a stored pet as a response has it, digit for digit. */
export function textOf({ id, name, categoryId, status }: Record<string, AttributeValue>): string {
  return `{"id":${id?.N},"name":${JSON.stringify(name?.S)},"categoryId":${categoryId?.N},"status":"${status?.S}"}`;
}

/** The digits of the id in a pet's JSON text. */
export function idIn(petText: string): string {
  return /"id":(\d+)/.exec(petText)?.[1] ?? '';
}
