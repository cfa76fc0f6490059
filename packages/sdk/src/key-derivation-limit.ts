/**
 * Limits the iterations of the key derivation of a private key or key store. The count is in the file, and with a large
 * one OpenSSL blocks the thread for hours. Read from the DER (or BER) without decrypting anything.
 */

/** Takes one to three seconds. Java's limit is 5,000,000 per derivation; its own stores have 10,000. */
const MAX_ITERATIONS = 1_000_000;
/**
 * Of SCRAM, where the server sets the count for each session. Brokers accept 16,384 at most for their users, and
 * PostgreSQL uses 4,096 unless `scram_iterations` is set.
 */
export const MAX_SCRAM_ITERATIONS = 100_000;
const MAX_DEPTH = 32;
const INTEGER = 0x02;
const OCTETS = 0x04;
const SEQUENCE = 0x30;
const CONSTRUCTED = 0x20;
/** BER may split an octet string. */
const OCTETS_IN_PARTS = OCTETS | CONSTRUCTED;
/** Stands for counts beyond exact numbers. */
const UNCOUNTABLE = Number.MAX_SAFE_INTEGER;

class TooDeep extends Error {}

interface Node {
  readonly tag: number;
  readonly content: Buffer;
  /** Offset of the next node. */
  readonly end: number;
}

/** Formats older than PKCS8: header lines above the key describe its encryption. */
const OWN_FORMAT = /^-----BEGIN (?:RSA|EC|DSA) PRIVATE KEY-----/;

/**
 * Of one of `pemBlocks`. Null: it may be opened. Otherwise the rest of a sentence that starts with its setting.
 */
export function excessivePrivateKey(block: string): string | null {
  const hasHeaders = block.includes(':');
  // OpenSSL 3 would decrypt the key inside this layer, whose iteration count is not checked here.
  if (hasHeaders && !OWN_FORMAT.test(block))
    return 'has header lines, which are only allowed in the RSA, EC and DSA key formats';
  // The key derivation of these headers is fast.
  const body = hasHeaders ? '' : block.split('\n').slice(1, -2).join('');
  return excessiveKeyDerivation(Buffer.from(body, 'base64'));
}

/** Null: within the limit. Otherwise the rest of a sentence that starts with the setting of `der`. */
export function excessiveKeyDerivation(der: Buffer): string | null {
  let iterations: number;
  try {
    iterations = iterationsIn(der, 0);
  } catch (error) {
    if (error instanceof TooDeep) return `is nested more than ${MAX_DEPTH} levels deep`;
    throw error;
  }
  if (iterations <= MAX_ITERATIONS) return null;
  return `requires its password to be hashed ${timesOf(iterations)}; the limit is ${MAX_ITERATIONS}`;
}

/**
 * @param iterations what a server requires of its client
 * @returns null: within the limit. Otherwise the rest of a sentence that starts with the server.
 */
export function excessiveScram(iterations: number): string | null {
  if (iterations <= MAX_SCRAM_ITERATIONS) return null;
  return `requires the password to be hashed ${timesOf(iterations)}; the limit is ${MAX_SCRAM_ITERATIONS}`;
}

function timesOf(iterations: number): string {
  return iterations < UNCOUNTABLE ? `${iterations} times` : 'countless times';
}

/**
 * In the parameters of PBKDF2, scrypt and PKCS12 and in the MAC of PKCS12, the count follows the salt: an integer after
 * an octet string.
 */
function iterationsIn(bytes: Buffer, depth: number): number {
  if (depth > MAX_DEPTH) throw new TooDeep();
  let iterations = 0;
  let afterSalt = false;
  /** The work of scrypt is the product of cost, block size and parallelism. */
  let factors: number[] = [];
  for (let at = 0; at < bytes.length;) {
    const node = nodeAt(bytes, at, depth);
    if (node === null) break;
    at = node.end;
    if (node.tag === INTEGER && afterSalt) {
      factors.push(unsigned(node.content));
      continue;
    }
    iterations += workOf(factors);
    factors = [];
    afterSalt = (node.tag & ~CONSTRUCTED) === OCTETS;
    // An octet string may contain DER.
    const holdsDer = afterSalt && node.content[0] === SEQUENCE;
    if (holdsDer || ((node.tag & CONSTRUCTED) !== 0 && !afterSalt)) iterations += iterationsIn(node.content, depth + 1);
  }
  return iterations + workOf(factors);
}

function workOf(factors: readonly number[]): number {
  // PBKDF2 may have the key length after the count.
  if (factors.length < 3) return factors[0] ?? 0;
  // scrypt may have the key length after its three parameters.
  return factors.slice(0, 3).reduce((product, factor) => Math.min(product * factor, UNCOUNTABLE), 1);
}

/** Null: not DER. */
function nodeAt(bytes: Buffer, start: number, depth: number): Node | null {
  const tag = bytes[start];
  let length = bytes[start + 1];
  if (tag === undefined || length === undefined || (tag & 0x1f) === 0x1f) return null;
  let at = start + 2;
  if (length === 0x80) return openNode(bytes, tag, at, depth);
  if (length > 0x80) {
    const size = length & 0x7f;
    if (size > 4 || at + size > bytes.length) return null;
    length = bytes.readUIntBE(at, size);
    at += size;
  }
  const end = at + length;
  if (end > bytes.length) return null;
  const content = bytes.subarray(at, end);
  return { tag, content: tag === OCTETS_IN_PARTS ? joined(content, depth) : content, end };
}

/** BER with indefinite length. Children are read only once: reading twice would double the work per level. */
function openNode(bytes: Buffer, tag: number, start: number, depth: number): Node | null {
  if (depth > MAX_DEPTH) throw new TooDeep();
  const parts: Buffer[] = [];
  let at = start;
  while (at + 1 < bytes.length && (bytes[at] !== 0 || bytes[at + 1] !== 0)) {
    const child = nodeAt(bytes, at, depth + 1);
    if (child === null) return null;
    if (tag === OCTETS_IN_PARTS) parts.push(child.content);
    at = child.end;
  }
  return { tag, content: tag === OCTETS_IN_PARTS ? Buffer.concat(parts) : bytes.subarray(start, at), end: at + 2 };
}

function joined(content: Buffer, depth: number): Buffer {
  if (depth > MAX_DEPTH) throw new TooDeep();
  const parts: Buffer[] = [];
  for (let at = 0; at < content.length;) {
    const part = nodeAt(content, at, depth + 1);
    if (part === null) break;
    parts.push(part.content);
    at = part.end;
  }
  return Buffer.concat(parts);
}

/** OpenSSL rejects counts of more than eight bytes. (The order of a curve may be at such a place.) */
function unsigned(content: Buffer): number {
  if (content.length === 0 || content.length > 9) return 0;
  return content.length > 6 ? UNCOUNTABLE : content.readUIntBE(0, content.length);
}
