/** Whether the tests run on the embedded engine, not on DynamoDB Local: see test/engines.md. */
export const isEmbedded = !process.env.TEST_DYNAMODB_ENDPOINT;
