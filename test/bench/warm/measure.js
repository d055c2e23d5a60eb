import { once } from 'node:events';
import { cannedAnswers } from './answers.js';

// A process of its own for each measurement. Prints the CPU time of one invocation in µs, over all
// threads: what the garbage collector and the compiler do beside it is paid for, too.

const [, , module] = process.argv;
const [{ event, apiKey, warmUpInvocations, measuredInvocations }] = await once(process, 'message');
globalThis.bench = { answers: cannedAnswers(apiKey) };
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

let answer;
async function invoke(times) {
  for (let time = 0; time < times; time += 1) {
    // The runtime client parses each event anew, so no handler may profit from the last one.
    answer = await handler(JSON.parse(event), context);
  }
}

await invoke(warmUpInvocations);
const before = process.cpuUsage();
await invoke(measuredInvocations);
const { user, system } = process.cpuUsage(before);
process.send({ cpuUs: (user + system) / measuredInvocations, answer });
process.disconnect();
