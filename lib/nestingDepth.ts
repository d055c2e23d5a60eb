/** Counts how deep arrays and objects are nested in JSON text, in one pass and without a stack. */
export function nestingDepth(text: string): number {
  let depth = 0;
  let maxDepth = 0;
  let isInString = false;
  for (let place = 0; place < text.length; place += 1) {
    const character = text[place];
    if (isInString) {
      if (character === '\\') place += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') {
      isInString = true;
    } else if (character === '[' || character === '{') {
      depth += 1;
      if (depth > maxDepth) maxDepth = depth;
    } else if (character === ']' || character === '}') {
      depth -= 1;
    }
  }
  return maxDepth;
}
