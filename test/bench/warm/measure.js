import { once } from 'node:events';
import { cannedResponses } from './cannedResponses.js';

// Sends the CPU time of one request in µs, over all threads: Lambda also bills the garbage collector
// and the compiler. warm.ts starts a process for each measurement.

const [, , module] = process.argv;
const [{ event, apiKey, warmUpRequests, measuredRequests }] = await once(process, 'message');
globalThis.bench = { responses: cannedResponses(apiKey) };
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

let response;
async function invoke(times) {
  for (let time = 0; time < times; time += 1) {
    // The runtime client also parses each event, so no handler reuses the previous one.
    response = await handler(JSON.parse(event), context);
  }
}

await invoke(warmUpRequests);
const before = process.cpuUsage();
await invoke(measuredRequests);
const { user, system } = process.cpuUsage(before);
process.send({ cpuUs: (user + system) / measuredRequests, response });
process.disconnect();
