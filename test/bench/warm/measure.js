// Handles as many requests as its parent asks for, and sends the CPU time of one in µs. The time includes
// all threads: Lambda also bills the garbage collector and the compiler. warm.ts starts this process.

const [, , module, event] = process.argv;
const { handler } = await import(module);
const context = {
  awsRequestId: '8476a536-e9f4-11e8-9739-2dfe598c3fcd',
  callbackWaitsForEmptyEventLoop: true,
  functionName: 'pet',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:pet',
  logGroupName: '/aws/lambda/pet',
  logStreamName: '2026/11/20/[$LATEST]0',
  memoryLimitInMB: '512',
  getRemainingTimeInMillis: () => 10_000,
};

process.on('message', async (requests) => {
  let response;
  const before = process.cpuUsage();
  for (let sent = 0; sent < requests; sent += 1) {
    // The runtime client also parses each event, so no handler reuses the previous one.
    response = await handler(JSON.parse(event), context);
  }
  const { user, system } = process.cpuUsage(before);
  process.send({ cpuUs: (user + system) / requests, response });
});
