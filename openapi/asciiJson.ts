/** Writes JSON in ASCII, because editors hide other white space, or offer to remove it. */
export function asciiJson(value: object): string {
  return JSON.stringify(value, null, 2).replaceAll(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
