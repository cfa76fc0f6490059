/** The request body of an event. Null: it is flagged as base64 but is not. */
export function decodeBody(event: { readonly body?: string; readonly isBase64Encoded?: boolean }): Buffer | null {
  const { body = '', isBase64Encoded } = event;
  if (isBase64Encoded === false || body === '') return Buffer.from(body);
  const decoded = Buffer.from(body, 'base64');
  if (isBase64Encoded) return decoded.toString('base64') === padded(body) ? decoded : null;
  // Without the flag, a body that looks like an encoded form is treated as one.
  return decoded.toString('base64') === body && decoded.includes('=') && isUtf8(decoded) ? decoded : Buffer.from(body);
}

function padded(base64: string): string {
  const bare = base64.replace(/(?<!=)=+$/, '');
  return bare + '='.repeat((4 - (bare.length % 4)) % 4);
}

function isUtf8(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString('utf8')).equals(bytes);
}
