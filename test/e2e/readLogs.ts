type LogGroups = { logGroups: { logGroupName: string }[] };
type LogEvents = { events: { timestamp: number; message: string }[] };

/** Reads what all functions have logged, in the order of time. */
export async function readLogs(endpoint: string): Promise<string> {
  const { logGroups } = await call<LogGroups>(endpoint, 'DescribeLogGroups', {});
  const lists = await Promise.all(
    logGroups.map(({ logGroupName }) =>
      call<LogEvents>(endpoint, 'FilterLogEvents', { logGroupName }),
    ),
  );
  const events = lists.flatMap((list) => list.events);
  const inOrder = events.toSorted((one, other) => one.timestamp - other.timestamp);
  return inOrder.map(({ message }) => `${message.trimEnd()}\n`).join('');
}

/** CloudWatch Logs by hand: the project has no other use for a client of it. */
async function call<T>(endpoint: string, action: string, input: object): Promise<T> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-amz-json-1.1',
      'X-Amz-Target': `Logs_20140328.${action}`,
      // The emulator finds service and Region by it, and does not verify the signature.
      Authorization:
        'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/logs/aws4_request, SignedHeaders=host, Signature=none',
    },
    body: JSON.stringify(input),
  });
  if (!response.ok) throw new Error(`${action} was answered ${response.status}.`);
  return (await response.json()) as T;
}
