// Stands for Lambda's runtime: loads a function, and sends it the events that startFunction.ts writes.

const channel = 3;

// An ESM import of `node:fs` would load more than the function needs.
const { readSync, writeSync } = process.getBuiltinModule('node:fs');

const context = { awsRequestId: 'bench', getRemainingTimeInMillis: () => 10_000 };

const { handler } = await import(process.argv[2]);
writeSync(channel, '{}\n');
const buffer = Buffer.alloc(65_536);
for (;;) {
  // Blocks the process between events, as Lambda freezes it.
  const bytes = readSync(channel, buffer);
  if (bytes === 0) process.exit();
  const { event, times } = JSON.parse(buffer.toString('utf8', 0, bytes));
  const before = process.cpuUsage();
  let response;
  for (let sent = 0; sent < times; sent += 1) {
    // Lambda's runtime also parses each event, so no handler reuses the previous one.
    response = await handler(JSON.parse(event), context);
  }
  // All threads count: Lambda also bills the garbage collector and the compiler.
  const { user, system } = process.cpuUsage(before);
  const cpuUs = (user + system) / times;
  writeSync(channel, `${JSON.stringify({ body: response.body, cpuUs })}\n`);
}
