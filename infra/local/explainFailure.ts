import { startUsage } from './startOptions.ts';

/** Says in a sentence why the service did not start, and what to change. */
export function explainFailure(error: unknown): string {
  const { code, port, message, syscall } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE' && syscall === 'listen') {
    return `Port ${port} is taken. Stop what uses it, or choose another: npm start -- --port ${(port ?? 0) + 1}  (0 takes any free one)`;
  }
  if (code === 'EACCES' && syscall === 'listen') {
    return `Port ${port} needs more rights than this process has. Choose one above 1023.`;
  }
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' || code?.startsWith('ERR_PARSE_ARGS')) {
    return `${message}\n\n${startUsage}`;
  }
  if (code === 'ECONNREFUSED') {
    return `No DynamoDB engine answers at ${process.env.AWS_ENDPOINT_URL_DYNAMODB}: start it, or unset AWS_ENDPOINT_URL_DYNAMODB to use the embedded one.`;
  }
  return message || String(error);
}
