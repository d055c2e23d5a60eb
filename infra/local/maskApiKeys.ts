/** Replaces API keys, whole or nearly, in a text that is printed. An address may have them encoded. */
export function maskApiKeys(text: string): string {
  return text.replaceAll(/(p|%(25)*70)(s|%(25)*73)(_|%(25)*5f)[\w%-]{22,}/gi, 'ps_***');
}
