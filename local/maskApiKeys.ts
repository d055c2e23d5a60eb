/** Replaces API keys in a text that is printed, even if they are cut off or percent-encoded in an address. */
export function maskApiKeys(text: string): string {
  return text.replaceAll(/(p|%(25)*70)(s|%(25)*73)(_|%(25)*5f)[\w%-]{22,}/gi, 'ps_***');
}
