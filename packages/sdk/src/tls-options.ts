/**
 * `ssl.*` settings → options for `node:tls`. Stores may be PEM (inline or a file) or PKCS12; the type is detected
 * from the first bytes, because Java also opens a PKCS12 store that is declared as JKS. Source: kafka-client §3.
 */
import { createRequire } from 'node:module';
import { createSecureContext, getCiphers, type ConnectionOptions, type SecureVersion } from 'node:tls';
import type * as Forge from 'node-forge';
import type { ConnectorConfig } from './config-def';
import { excessiveKeyDerivation, excessivePrivateKey } from './key-derivation-limit';
import { pemBlocks } from './pem';
import { readRegularFileSync } from './regular-file';

const VERSIONS: readonly SecureVersion[] = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'];
/** Java's values of `ssl.protocol`, which names a context; `ssl.enabled.protocols` selects the versions. */
const CONTEXTS: readonly string[] = ['TLS', ...VERSIONS, 'SSL', 'SSLv2', 'SSLv3', 'Default'];

/** In Java's default list of `ssl.cipher.suites`. Not a cipher suite but a signal, which OpenSSL sends by default. */
const RENEGOTIATION_SIGNAL = 'TLS_EMPTY_RENEGOTIATION_INFO_SCSV';

/** The trust store of a JVM has 200 KB. */
const MAX_STORE_BYTES = 8 * 1024 * 1024;

/**
 * Creates the error for a setting, e.g. `ssl.keystore.location`; `problem` continues the sentence that starts with the
 * key.
 */
export type SettingError = (key: string, problem: string, cause?: unknown) => Error;

/**
 * Of a client's settings `ssl.*`, as Java names them. Stores are read here and now.
 * @param settingError what is thrown
 */
export function tlsOptions(config: ConnectorConfig, settingError: SettingError): ConnectionOptions {
  if (text(config, 'ssl.engine.factory.class') !== undefined) {
    throw settingError(
      'ssl.engine.factory.class',
      'is not supported: it names a Java class; use ssl.keystore.* instead',
    );
  }
  const options: ConnectionOptions = {
    ...protocolVersions(config, settingError),
    ...cipherSuites(config, settingError),
    ...trust(config, settingError),
    ...identity(config, settingError),
  };
  if (!namesAreChecked(config, settingError)) options.checkServerIdentity = () => undefined;
  return options;
}

/** As in Java, an empty value disables host name verification. */
function namesAreChecked(config: ConnectorConfig, invalid: SettingError): boolean {
  const key = 'ssl.endpoint.identification.algorithm';
  const algorithm = config[key]?.trim().toLowerCase() ?? 'https';
  if (algorithm === '') return false;
  if (algorithm === 'https' || algorithm === 'ldaps') return true;
  throw invalid(key, `must be https, or empty to disable host name verification, not '${algorithm}'`);
}

function protocolVersions(
  config: ConnectorConfig,
  invalid: SettingError,
): Pick<ConnectionOptions, 'minVersion' | 'maxVersion'> {
  const context = text(config, 'ssl.protocol');
  // Case-insensitive, as in Java.
  if (context !== undefined && !CONTEXTS.some((name) => name.toLowerCase() === context.toLowerCase())) {
    throw invalid('ssl.protocol', `must be one of ${CONTEXTS.join(', ')}, not '${context}'`);
  }
  const key = 'ssl.enabled.protocols';
  const wanted = list(config, key);
  const unknown = wanted.find((name) => !VERSIONS.includes(name as SecureVersion));
  if (unknown !== undefined) throw invalid(key, `must list ${VERSIONS.join(', ')}, not '${unknown}'`);
  const ordered = VERSIONS.filter((version) => wanted.length === 0 || wanted.includes(version));
  return wanted.length === 0 ? { minVersion: 'TLSv1.2' } : { minVersion: ordered[0], maxVersion: ordered.at(-1) };
}

/**
 * Java's names (`TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256`) → OpenSSL's (`ECDHE-RSA-AES128-GCM-SHA256`); those of TLS 1.3
 * are the same.
 */
function cipherSuites(config: ConnectorConfig, invalid: SettingError): Pick<ConnectionOptions, 'ciphers'> {
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

function trust(config: ConnectorConfig, invalid: SettingError): Pick<ConnectionOptions, 'ca'> {
  const inlineKey = 'ssl.truststore.certificates';
  const inline = text(config, inlineKey);
  const key = 'ssl.truststore.location';
  const location = text(config, key);
  // As in Java. Often an unset variable: falling back to the public authorities would hide that.
  const empty = [inlineKey, key].find((name) => config[name]?.trim() === '');
  if (empty !== undefined && (inline ?? location) === undefined) throw invalid(empty, 'is empty');
  if (inline === undefined && location === undefined) return {};
  const usedKey = inline === undefined ? key : inlineKey;
  let ca: string[];
  if (inline !== undefined) {
    ca = pemBlocks(inline, 'CERTIFICATE');
  } else {
    const store = readStore(key, location as string, invalid);
    ca =
      store.kind === 'pem'
        ? pemBlocks(store.bytes.toString('utf8'), 'CERTIFICATE')
        : certificatesOfPkcs12(store.bytes, text(config, 'ssl.truststore.password') ?? '', (problem, cause) =>
            invalid('ssl.truststore.password', problem, cause),
          );
  }
  if (ca.length === 0) throw invalid(usedKey, 'contains no certificate');
  check({ ca }, (cause) => invalid(usedKey, because('cannot be used as trusted certificates', cause), cause));
  return { ca };
}

function identity(
  config: ConnectorConfig,
  invalid: SettingError,
): Pick<ConnectionOptions, 'cert' | 'key' | 'pfx' | 'passphrase'> {
  const chainKey = 'ssl.keystore.certificate.chain';
  const keyKey = 'ssl.keystore.key';
  const chain = text(config, chainKey);
  const key = text(config, keyKey);
  const passphrase = text(config, 'ssl.key.password');
  if (chain !== undefined || key !== undefined) {
    if (chain === undefined) throw invalid(chainKey, `is missing: ${keyKey} needs it`);
    if (key === undefined) throw invalid(keyKey, `is missing: ${chainKey} needs it`);
    return pemIdentity(chain, key, passphrase, chainKey, keyKey, invalid);
  }
  const locationKey = 'ssl.keystore.location';
  const location = text(config, locationKey);
  if (location === undefined) return {};
  const store = readStore(locationKey, location, invalid);
  if (store.kind === 'pem') {
    const pem = store.bytes.toString('utf8');
    return pemIdentity(pem, pem, passphrase, locationKey, locationKey, invalid);
  }
  const options = { pfx: store.bytes, passphrase: text(config, 'ssl.keystore.password') ?? passphrase ?? '' };
  check(options, (cause) => invalid(locationKey, because('cannot be opened with ssl.keystore.password', cause), cause));
  return options;
}

function pemIdentity(
  chain: string,
  key: string,
  passphrase: string | undefined,
  chainKey: string,
  keyKey: string,
  invalid: SettingError,
) {
  const cert = pemBlocks(chain, 'CERTIFICATE').join('');
  const privateKey = pemBlocks(key, 'PRIVATE KEY')[0];
  if (cert === '') throw invalid(chainKey, 'contains no certificate');
  if (privateKey === undefined) throw invalid(keyKey, 'contains no private key');
  const work = excessivePrivateKey(privateKey);
  if (work !== null) throw invalid(keyKey, work);
  const options = { cert, key: privateKey, ...(passphrase === undefined ? {} : { passphrase }) };
  const problem =
    'cannot be used with its certificate chain; if the key is encrypted, ssl.key.password must decrypt it';
  check(options, (cause) => invalid(keyKey, because(problem, cause), cause));
  return options;
}

function readStore(key: string, location: string, invalid: SettingError): { kind: 'pem' | 'pkcs12'; bytes: Buffer } {
  let bytes: Buffer;
  try {
    bytes = readRegularFileSync(location, MAX_STORE_BYTES);
  } catch (cause) {
    throw invalid(key, `names a file that cannot be read: ${(cause as Error).message}`, cause);
  }
  const magic = bytes.length >= 4 ? bytes.readUInt32BE(0) : 0;
  if (magic === 0xfeedfeed || magic === 0xcececece) {
    throw invalid(
      key,
      `names a JKS store, which only Java can read: convert it with 'keytool -importkeystore -deststoretype PKCS12' or use PEM files`,
    );
  }
  if (bytes[0] === 0x30) {
    const work = excessiveKeyDerivation(bytes);
    if (work !== null) throw invalid(key, `names a store that ${work}`);
    return { kind: 'pkcs12', bytes };
  }
  if (bytes.includes('-----BEGIN ')) return { kind: 'pem', bytes };
  throw invalid(key, 'names a file that is neither PEM nor PKCS12');
}

/**
 * The certificates of a PKCS12 trust store, as PEM. `node:tls` opens PKCS12 key stores, but does not read CAs from
 * them. Throws the error of `wrongPassword`, which receives the rest of a sentence.
 */
function certificatesOfPkcs12(
  bytes: Buffer,
  password: string,
  wrongPassword: (problem: string, cause: unknown) => Error,
): string[] {
  // Loaded only when needed.
  const { asn1, pkcs12, pki, util } = createRequire(__filename)('node-forge') as typeof Forge;
  let store: Forge.pkcs12.Pkcs12Pfx;
  try {
    store = pkcs12.pkcs12FromAsn1(asn1.fromDer(util.createBuffer(bytes.toString('binary'))), password);
  } catch (cause) {
    throw wrongPassword(`does not open the PKCS12 trust store (${(cause as Error).message})`, cause);
  }
  const bagType = pki.oids['certBag'] as string;
  const bags = store.getBags({ bagType })[bagType] ?? [];
  return bags.map((bag) => {
    const der = asn1.toDer(bag.cert ? pki.certificateToAsn1(bag.cert) : bag.asn1).getBytes();
    const body = Buffer.from(der, 'binary').toString('base64');
    return `-----BEGIN CERTIFICATE-----\n${body.replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
  });
}

function because(problem: string, cause: unknown): string {
  return `${problem} (${(cause as Error).message})`;
}

function check(options: ConnectionOptions, failure: (cause: unknown) => Error): void {
  try {
    createSecureContext(options);
  } catch (cause) {
    throw failure(cause);
  }
}

function text(config: ConnectorConfig, key: string): string | undefined {
  const value = config[key]?.trim();
  return value === '' ? undefined : value;
}

function list(config: ConnectorConfig, key: string): string[] {
  return (config[key] ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
