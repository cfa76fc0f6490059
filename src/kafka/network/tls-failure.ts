/** What Node and OpenSSL say when TLS fails → one sentence with the setting to look at. */
import { KafkaError } from '../errors';

/** Nobody trusted stands behind the broker's certificate. */
const UNKNOWN_AUTHORITY = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

interface TlsFailure {
  readonly message: string;
  readonly code: string;
  /** OpenSSL's short reason; its message holds addresses and source files as well. */
  readonly reason?: string;
  readonly cert?: { readonly subjectaltname?: string; readonly subject?: { readonly CN?: string } };
}

/** Null when `cause` is not a failure of TLS. `withIdentity`: a client certificate is configured. Never retriable. */
export function tlsFailure(cause: unknown, host: string, port: number, withIdentity: boolean): KafkaError | null {
  const failure = cause as TlsFailure;
  if (typeof failure.code !== 'string' || !/CERT|SSL|TLS|EPROTO|SIGNATURE/.test(failure.code)) return null;
  const text = `TLS with Kafka broker ${host}:${port} failed: ${explain(failure, host, withIdentity)}`;
  return new KafkaError('SSL_HANDSHAKE_FAILED', text, { cause });
}

function explain({ message, code, reason, cert }: TlsFailure, host: string, withIdentity: boolean): string {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = cert?.subjectaltname ?? cert?.subject?.CN ?? 'no host';
    return (
      `its certificate is for ${names}, not for ${host} (${code}); reach it by such a name, or set ` +
      'ssl.endpoint.identification.algorithm to nothing so that names are not checked'
    );
  }
  if (UNKNOWN_AUTHORITY.has(code)) {
    return `${message} (${code}); ssl.truststore.location or ssl.truststore.certificates must hold the authority that signed it`;
  }
  if (reason === undefined) return `${message} (${code})`;
  if (!/\balert\b/.test(reason)) {
    const hint = /wrong version number/.test(reason) ? '; is security.protocol right for this port?' : '';
    return `${reason} (${code})${hint}`;
  }
  const hint = !/certificate|unknown ca/.test(reason)
    ? ''
    : withIdentity
      ? '; it does not accept the client certificate of ssl.keystore'
      : '; it wants a client certificate, set ssl.keystore.location or ssl.keystore.certificate.chain';
  return `the broker answered '${reason}' (${code})${hint}`;
}
