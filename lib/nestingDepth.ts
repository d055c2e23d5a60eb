/** Counts how deep arrays and objects are nested in JSON text, in one pass and without a stack. */
export function nestingDepth(text: string): number {
  let depth = 0;
  let maxDepth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[{]|[\]}]/gs)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    maxDepth = Math.max(maxDepth, depth);
  }
  return maxDepth;
}
