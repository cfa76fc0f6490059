/** `ssl.cipher.suites` → `ciphers` of `node:tls`. Source: kafka-client §3. */
import { getCiphers, type ConnectionOptions } from 'node:tls';
import { list, type SettingError } from '../client-settings';
import type { ClientConfig } from '../port';

/** In Java's default list. Not a cipher suite but a signal, which OpenSSL sends by default. */
const RENEGOTIATION_SIGNAL = 'TLS_EMPTY_RENEGOTIATION_INFO_SCSV';

/**
 * Java's names (`TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256`) → OpenSSL's (`ECDHE-RSA-AES128-GCM-SHA256`); those of TLS 1.3
 * are the same.
 */
export function cipherSuites(config: ClientConfig, invalid: SettingError): Pick<ConnectionOptions, 'ciphers'> {
  const key = 'ssl.cipher.suites';
  const listed = list(config, key);
  if (listed.length === 0) return {};
  const names = listed.filter((name) => name !== RENEGOTIATION_SIGNAL);
  // For an empty list OpenSSL would use its defaults.
  if (names.length === 0) throw invalid(key, `names no suite: ${RENEGOTIATION_SIGNAL} is a signal`);
  const known = new Set(getCiphers());
  const ciphers = names.map((name) => {
    if (known.has(name.toLowerCase()) && name.startsWith('TLS_')) return name;
    const opensslName = name
      .replace(/^TLS_(?:RSA_WITH_)?/, '')
      .replace('_WITH', '')
      .replace(/AES_(\d+)/, 'AES$1')
      .replace('_CBC_', '_')
      .replace(/(CHACHA20_POLY1305)_SHA256$/, '$1')
      .replaceAll('_', '-');
    if (!known.has(opensslName.toLowerCase())) throw invalid(key, `names ${name}, which is not available`);
    return opensslName;
  });
  return { ciphers: ciphers.join(':') };
}
