/** The clock in the unit of DynamoDB's time to live, as whole seconds since 1970. */
export function nowEpochSeconds(): bigint {
  return BigInt(Math.floor(Date.now() / 1000));
}
