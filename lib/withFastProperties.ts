/** After about fifty V8 notes what a piece of code reads; the rest is to be sure of it. */
const reads = 500;

/**
 * Returns the object, after V8 has laid it out like a literal.
 *
 * An object that grew member by member is a hash table to V8, and slow to copy. V8 makes a table a
 * layout again once another object inherits from it and is read. Where it does not, nothing happens.
 */
export function withFastProperties<T extends object>(object: T): T {
  const heir = Object.create(object);
  const [name = ''] = Object.keys(object);
  for (let read = 0; read < reads; read += 1) heir[name];
  return object;
}
