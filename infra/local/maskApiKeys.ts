/** Replaces API keys, whole or nearly, in a text that is printed. */
export function maskApiKeys(text: string): string {
  return text.replaceAll(/ps_[\w-]{22,}/g, 'ps_***');
}
