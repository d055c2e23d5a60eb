/** Returns the time in whole seconds since 1970, the unit of DynamoDB's time to live. */
export function nowEpochSeconds(): bigint {
  return BigInt(Math.floor(Date.now() / 1000));
}
