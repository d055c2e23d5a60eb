import type { Input, Reply } from './DynamoDbModel.ts';

/** The parts that the model needs of a request of the SDK's HTTP handler. */
export type HttpRequest = { headers: Record<string, string>; body?: Uint8Array };

/** Reads the action and the input of a request of the SDK. */
export function readCall({ headers, body }: HttpRequest): { action: string; input: Input } {
  const action = headers['x-amz-target']?.split('.')[1] ?? '';
  return { action, input: JSON.parse(new TextDecoder().decode(body)) };
}

/** A reply of the model as the SDK's HTTP handler returns it. */
export function toHttp({ status, body }: Reply): object {
  return {
    statusCode: status,
    headers: { 'content-type': 'application/x-amz-json-1.0' },
    body: Buffer.from(JSON.stringify(body)),
  };
}
