/** Whether the tests run on the embedded engine and not on DynamoDB Local, see test/engines.md. */
export const isEmbedded = !process.env.TEST_DYNAMODB_ENDPOINT;
