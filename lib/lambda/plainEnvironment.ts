// Node.js asks the operating system for a variable each time that it is read, and Powertools reads
// one 25 times a request. A copy answers at once; the runtime client, which sets the id of the trace
// for each invocation, sets it there.
process.env = { ...process.env };
