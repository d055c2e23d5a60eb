/** Replaces API keys, whole or nearly, in a text that is printed. */
export function maskApiKeys(text: string): string {
  return text.replaceAll(/ps_[A-Za-z0-9-]+_[\w-]{20,}/g, 'ps_***');
}
