/**
 * Channel binding of SCRAM (`tls-server-end-point`, RFC 5929). It hashes the certificate of the server with the hash of
 * the certificate's signature. Some signatures have none, Ed25519 among them: PostgreSQL offers channel binding with
 * such a certificate, but fails when a client uses it.
 */
import type { Client } from 'pg';
import { connectionOf, disableChannelBinding } from './pg-internals';

/** Beginnings of identifiers of signatures with a hash: RSA (PKCS #1) and ECDSA. */
const WITH_HASH = [Buffer.from('2a864886f70d0101', 'hex'), Buffer.from('2a8648ce3d04', 'hex')];

/** Call when TLS has begun, and before the server asks for authentication by SCRAM. */
export function bindIfPossible(client: Client): void {
  const { stream } = connectionOf(client);
  const raw = 'getPeerCertificate' in stream ? stream.getPeerCertificate().raw : undefined;
  if (raw !== undefined && !signatureHasHash(raw)) disableChannelBinding(client);
}

/** @param certificate X.509, as DER */
export function signatureHasHash(certificate: Buffer): boolean {
  const body = element(certificate, element(certificate, 0).start);
  const algorithm = element(certificate, body.end);
  const identifier = element(certificate, algorithm.start);
  const bytes = certificate.subarray(identifier.start, identifier.end);
  return WITH_HASH.some((beginning) => bytes.subarray(0, beginning.length).equals(beginning));
}

/** Of the content of the element whose tag is at an index. */
function element(der: Buffer, at: number): { readonly start: number; readonly end: number } {
  const first = der.readUInt8(at + 1);
  if (first < 0x80) return { start: at + 2, end: at + 2 + first };
  const start = at + 2 + (first & 0x7f);
  return { start, end: start + der.readUIntBE(at + 2, first & 0x7f) };
}
