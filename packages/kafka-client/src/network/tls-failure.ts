/** TLS errors of Node and OpenSSL → one sentence that names the setting to check. */
import { KafkaError } from '../errors';
import { addressText } from './client-config';

/** The broker's certificate is not signed by a trusted authority. */
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
  /** OpenSSL's short reason; its message includes addresses and source files. */
  readonly reason?: string;
  readonly cert?: { readonly subjectaltname?: string; readonly subject?: { readonly CN?: string } };
}

/** Null when `cause` is not a TLS error. `withIdentity`: a client certificate is configured. Never retriable. */
export function tlsFailure(cause: unknown, host: string, port: number, withIdentity: boolean): KafkaError | null {
  const failure = cause as TlsFailure;
  if (typeof failure.code !== 'string' || !/CERT|SSL|TLS|EPROTO|SIGNATURE/.test(failure.code)) return null;
  const text = `TLS with Kafka broker ${addressText({ host, port })} failed: ${explain(failure, host, withIdentity)}`;
  return new KafkaError('SSL_HANDSHAKE_FAILED', text, { cause });
}

function explain({ message, code, reason, cert }: TlsFailure, host: string, withIdentity: boolean): string {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = cert?.subjectaltname ?? cert?.subject?.CN ?? 'no host';
    return (
      `its certificate is for ${names}, not for ${host} (${code}); connect by one of these names, or set ` +
      'ssl.endpoint.identification.algorithm to an empty value to disable host name verification'
    );
  }
  if (UNKNOWN_AUTHORITY.has(code)) {
    return `${message} (${code}); ssl.truststore.location or ssl.truststore.certificates must contain the authority that signed it`;
  }
  if (reason === undefined) return `${message} (${code})`;
  if (!/\balert\b/.test(reason)) {
    const hint = /wrong version number/.test(reason) ? '; check that security.protocol is right for this port' : '';
    return `${reason} (${code})${hint}`;
  }
  const hint = !/certificate|unknown ca/.test(reason)
    ? ''
    : withIdentity
      ? '; the broker does not accept the client certificate of ssl.keystore'
      : '; the broker requires a client certificate; set ssl.keystore.location or ssl.keystore.certificate.chain';
  return `the broker returned '${reason}' (${code})${hint}`;
}
