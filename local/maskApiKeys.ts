/** The beginning of a key, of which each letter may be percent-encoded. */
const prefix = [...'ps_']
  .map((letter) => `(${letter}|%${letter.charCodeAt(0).toString(16)})`)
  .join('');
const apiKey = new RegExp(`${prefix}[\\w%-]{22,}`, 'gi');

/** Replaces API keys in a text that is printed, even if they are cut off or percent-encoded in an address. */
export function maskApiKeys(text: string): string {
  return text.replaceAll(apiKey, 'ps_***');
}
