/** The bytes that were sent, out of an event; null when the event says base64 and it is none. */
export function decodeBody(event: { readonly body?: string; readonly isBase64Encoded?: boolean }): Buffer | null {
  const { body = '', isBase64Encoded } = event;
  if (isBase64Encoded === false || body === '') return Buffer.from(body);
  const decoded = Buffer.from(body, 'base64');
  if (isBase64Encoded) return decoded.toString('base64') === padded(body) ? decoded : null;
  // The flag is missing: what looks like an encoded form is one.
  return decoded.toString('base64') === body && decoded.includes('=') && isUtf8(decoded) ? decoded : Buffer.from(body);
}

function padded(base64: string): string {
  const bare = base64.replace(/(?<!=)=+$/, '');
  return bare + '='.repeat((4 - (bare.length % 4)) % 4);
}

function isUtf8(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString('utf8')).equals(bytes);
}
