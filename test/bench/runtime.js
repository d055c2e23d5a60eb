// Stands for Lambda's runtime: loads a function, and handles the events that startFunction.ts sends.

const channel = 3;

// An ESM import of `node:fs` would load more than the function needs.
const { readSync, writeSync } = process.getBuiltinModule('node:fs');

const context = {
  awsRequestId: '8476a536-e9f4-11e8-9739-2dfe598c3fcd',
  functionName: 'pet',
  functionVersion: '$LATEST',
  memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
  getRemainingTimeInMillis: () => 10_000,
};

const { handler } = await import(process.argv[2]);
writeLine({});
for (;;) {
  const { event, requests } = JSON.parse(readLine());
  let response;
  const before = process.cpuUsage();
  for (let sent = 0; sent < requests; sent += 1) {
    // Lambda's runtime also parses each event, so no handler reuses the previous one.
    response = await handler(JSON.parse(event), context);
  }
  // All threads count: Lambda also bills the garbage collector and the compiler.
  const { user, system } = process.cpuUsage(before);
  writeLine({ cpuUs: (user + system) / requests, response });
}

/** Blocks the process between events, as Lambda freezes it. */
function readLine() {
  const buffer = Buffer.alloc(65_536);
  let length = 0;
  while (buffer[length - 1] !== 10) {
    const bytes = readSync(channel, buffer, { offset: length });
    if (bytes === 0) process.exit();
    length += bytes;
  }
  return buffer.toString('utf8', 0, length);
}

function writeLine(value) {
  writeSync(channel, `${JSON.stringify(value)}\n`);
}
