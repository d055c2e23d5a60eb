/** The floor: what Node.js and the runtime client cost by themselves. */
export async function handler() {
  return { statusCode: 200, headers: {}, body: '{}' };
}
