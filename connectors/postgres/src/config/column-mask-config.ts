/** `column.mask.*` and `column.truncate.*`: which columns are published changed (cdc-postgres §7.5). */
import { createHash } from 'node:crypto';
import type { ConnectorConfig } from '@millrace/sdk';
import { patternProblem, PatternList } from './patterns';

export type ColumnMask =
  | { readonly kind: 'asterisks'; readonly columns: PatternList; readonly length: number }
  | { readonly kind: 'hash'; readonly columns: PatternList; readonly hash: SaltedHash }
  | { readonly kind: 'truncate'; readonly columns: PatternList; readonly length: number };

export interface SaltedHash {
  /** Debezium's first version hashes a string as Java serializes it, the second one its UTF-8. */
  readonly version: 1 | 2;
  /** Name of the digest in node:crypto. */
  readonly algorithm: string;
  readonly salt: string;
}

const FAMILY = /^column\.(?:mask|truncate)\./i;
const ASTERISKS = /^column\.mask\.with\.(\d+)\.chars$/;
const TRUNCATE = /^column\.truncate\.to\.(\d+)\.chars$/;
const HASH = /^column\.mask\.hash\.(v2\.)?([^.]+)\.with\.salt\.(.+)$/;
/** Characters that a mask writes into each value at most. */
const MAX_ASTERISKS = 65_536;

/** Names of Java's digests → names of the same ones in node:crypto. */
const ALGORITHMS: ReadonlyMap<string, string> = new Map([
  ['MD5', 'md5'],
  ['SHA', 'sha1'],
  ['SHA1', 'sha1'],
  ['SHA-1', 'sha1'],
  ...['224', '256', '384', '512', '512/224', '512/256'].map((bits): [string, string] => [
    `SHA-${bits}`,
    `sha${bits.replace('/', '-')}`,
  ]),
  ...['224', '256', '384', '512'].map((bits): [string, string] => [`SHA3-${bits}`, `sha3-${bits}`]),
]);

/** The only mask that applies to a column comes first: one that hides the value before one that shortens it. */
const PRECEDENCE = ['asterisks', 'hash1', 'hash2', 'truncate'];

export function columnMasks(config: ConnectorConfig): ColumnMask[] {
  const rank = (mask: ColumnMask): number =>
    PRECEDENCE.indexOf(mask.kind === 'hash' ? `hash${mask.hash.version}` : mask.kind);
  return Object.entries(config)
    .flatMap(([name, value]) => (FAMILY.test(name) ? (columnMask(name, value) ?? []) : []))
    .sort((a, b) => rank(a) - rank(b));
}

function columnMask(name: string, value: string): ColumnMask | null {
  if (value.trim() === '') return null;
  const columns = PatternList.parse(value);
  const asterisks = ASTERISKS.exec(name);
  if (asterisks !== null) return { kind: 'asterisks', columns, length: Number(asterisks[1]) };
  const truncate = TRUNCATE.exec(name);
  if (truncate !== null) return { kind: 'truncate', columns, length: Number(truncate[1]) };
  const [, second, algorithm = '', salt = ''] = HASH.exec(name) ?? [];
  const digest = ALGORITHMS.get(algorithm.toUpperCase());
  if (digest === undefined) return null;
  return { kind: 'hash', columns, hash: { version: second === undefined ? 1 : 2, algorithm: digest, salt } };
}

/** Rejects what would leave a column unmasked: Debezium ignores a key that it does not understand. */
export function checkColumnMasks(config: ConnectorConfig, complain: (name: string, message: string) => void): void {
  for (const [name, value] of Object.entries(config)) {
    if (!FAMILY.test(name)) continue;
    const message = value.trim() === '' ? null : (nameProblem(name) ?? patternProblem(value));
    if (message !== null) complain(name, message);
  }
}

function nameProblem(name: string): string | null {
  const asterisks = ASTERISKS.exec(name);
  if (asterisks !== null)
    return Number(asterisks[1]) <= MAX_ASTERISKS ? null : `At most ${MAX_ASTERISKS} characters can be written`;
  const truncate = TRUNCATE.exec(name);
  if (truncate !== null) return Number(truncate[1]) > 0 ? null : 'A length of at least 1 character is expected';
  const hash = HASH.exec(name);
  if (hash === null)
    return 'No mask has this name, and unmasked values would be published: use column.mask.with.<length>.chars, column.truncate.to.<length>.chars or column.mask.hash.v2.<algorithm>.with.salt.<salt>';
  const algorithm = ALGORITHMS.get((hash[2] as string).toUpperCase());
  if (algorithm !== undefined && isAvailable(algorithm)) return null;
  return `The hash algorithm ${hash[2]} is not supported, and unmasked values would be published: use one of ${[...ALGORITHMS.keys()].join(', ')}`;
}

/** The policy of the machine may forbid a digest, for example MD5. */
function isAvailable(algorithm: string): boolean {
  try {
    createHash(algorithm);
    return true;
  } catch {
    return false;
  }
}
