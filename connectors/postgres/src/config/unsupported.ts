/**
 * Debezium's keys that this version does not implement. A key is rejected when ignoring it would change what is
 * published, so that a migration cannot corrupt data unnoticed; any other key is named in a warning. Sources:
 * cdc-postgres §1.3 to §1.6, §7.5.
 */
import type { ConfigProblem, ConnectorConfig } from '@millrace/sdk';
import { LAYOUT } from './layout';
import { invalid } from './problem';

interface Unsupported {
  /** A key, or a pattern of keys. */
  readonly key: string | RegExp;
  /** Values that match the implemented behavior, in lower case. */
  readonly fine?: readonly string[];
}
interface Refused extends Unsupported {
  readonly because: string;
}

const REFUSED: readonly Refused[] = [
  {
    key: 'sourceinfo.struct.maker',
    fine: ['io.debezium.connector.postgresql.postgressourceinfostructmaker'],
    because: 'another class is not supported yet, and other source blocks would be published',
  },
];

/** Names of the JDBC driver for settings that protect the connection. Without effect, it might not be encrypted. */
const PROTECTION: readonly Refused[] = [
  {
    key: /^(?:(?:database|driver)\.)?ssl$/,
    fine: ['false'],
    because:
      'database.sslmode protects the connection; set it to verify-full, the meaning of ssl=true, and remove this key',
  },
  {
    key: /^driver\.ssl(?:mode|rootcert|cert|key|password)$/,
    because: 'the key that is used has the prefix "database." in place of "driver."; rename it',
  },
  {
    key: /^(?:(?:database|driver)\.)?sslfactory$/,
    fine: ['org.postgresql.ssl.libpqfactory'],
    because:
      'a Java class cannot be loaded, and may trust other certificates. Set database.sslmode=verify-full and database.sslrootcert, and remove this key',
  },
  {
    key: /^(?:(?:database|driver)\.)?sslhostnameverifier$/,
    because:
      'a Java class cannot be loaded. Set database.sslmode=verify-full, which verifies the host name, and remove this key',
  },
  {
    key: /^(?:(?:database|driver)\.)?channelBinding$/,
    fine: ['prefer', 'disable', 'allow'],
    because:
      'it cannot be required; channel binding is used where the server offers it over TLS. Set database.sslmode=verify-full and remove this key',
  },
  {
    key: /^(?:(?:database|driver)\.)?gssEncMode$/,
    fine: ['allow', 'prefer', 'disable'],
    because: 'encryption by GSSAPI is not supported; set database.sslmode=verify-full and remove this key',
  },
  {
    key: /^(?:(?:database|driver)\.)?sslNegotiation$/,
    fine: ['postgres'],
    because: 'only the negotiation of PostgreSQL is supported; remove this key',
  },
  {
    key: /^(?:(?:database|driver)\.)?requireAuth$/,
    because: 'the method of authentication cannot be required; remove this key',
  },
];

const WITHOUT_EFFECT: readonly Unsupported[] = [
  { key: /^(?:signal\.emit|notification\.http|openlineage|driver)\./ },
  { key: 'incremental.snapshot.allow.schema.changes', fine: ['false'] },
];

/** Keys that nothing here reads; their default asks for what happens anyway. */
const NOT_READ: readonly Unsupported[] = LAYOUT.flatMap(([, keys]) => keys)
  .filter((row) => row.length > 3)
  .map(([key, , , , value]) => ({ key, fine: [String(value ?? '').toLowerCase()] }));

const ALL_REFUSED = [...REFUSED, ...PROTECTION];
/** The first one that covers a key counts: patterns know no defaults. */
const ALL_WITHOUT_EFFECT = [...NOT_READ, ...WITHOUT_EFFECT];

/** One problem per key whose absence would change what is published. */
export function refusedKeys(config: ConnectorConfig): ConfigProblem[] {
  return Object.keys(config).flatMap((name) => {
    const refused = ALL_REFUSED.find((one) => asksFor(one, name, config));
    return refused === undefined ? [] : [invalid(name, refused.because)];
  });
}

/** Whether the key is one of Debezium's without effect here, set to a value that requires one. */
export function isWithoutEffect(name: string, config: ConnectorConfig): boolean {
  const first = ALL_WITHOUT_EFFECT.find((one) => covers(one, name));
  return first !== undefined && asksFor(first, name, config);
}

/** Whether some values of the key are rejected. */
export function isRefused(name: string): boolean {
  return ALL_REFUSED.some((one) => covers(one, name));
}

/** Whether the key is listed here, regardless of its value. */
export function isUnsupported(name: string): boolean {
  return [...ALL_REFUSED, ...ALL_WITHOUT_EFFECT].some((one) => covers(one, name));
}

function asksFor(one: Unsupported, name: string, config: ConnectorConfig): boolean {
  const value = config[name]?.trim().toLowerCase() ?? '';
  return value !== '' && covers(one, name) && !one.fine?.includes(value);
}

function covers({ key }: Unsupported, name: string): boolean {
  return typeof key === 'string' ? key === name : key.test(name);
}
