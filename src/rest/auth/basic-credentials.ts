/** Credentials in an `Authorization` header of HTTP Basic, as Java's extension reads them. Pure. */
export interface BasicCredentials {
  readonly user: string;
  readonly password: string;
}

const BASE64 = /^[A-Za-z0-9+/]*(?<padding>={0,2})$/;

/** Null: missing, malformed, or of another scheme. In Java, malformed Base64 is an internal error (500). */
export function basicCredentials(header: string | undefined): BasicCredentials | null {
  if (header === undefined) return null;
  const space = header.indexOf(' ');
  if (space <= 0 || header.slice(0, space).toLowerCase() !== 'basic') return null;
  const encoded = header.slice(space + 1);
  const padding = BASE64.exec(encoded)?.groups?.['padding'];
  // Padding may be omitted, but must be complete if there is any.
  if (padding === undefined || encoded.length % 4 === 1 || (padding !== '' && encoded.length % 4 !== 0)) return null;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon <= 0 ? null : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
