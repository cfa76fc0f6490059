/**
 * How often a key or a store asks for its password to be hashed. The file names the count, and OpenSSL does as it is
 * told: a large one blocks the thread for hours. Told from the DER (or BER) without opening anything.
 */

/** Java stops at 5,000,000 a time; its own stores have 10,000. This many take one to three seconds. */
const MOST_ROUNDS = 1_000_000;
const MOST_DEPTH = 32;
const INTEGER = 0x02;
const OCTETS = 0x04;
const SEQUENCE = 0x30;
const CONSTRUCTED = 0x20;
/** BER may cut an octet string into several. */
const OCTETS_IN_PARTS = OCTETS | CONSTRUCTED;
/** What cannot be told as a number any more. */
const COUNTLESS = Number.MAX_SAFE_INTEGER;

class TooDeep extends Error {}

interface Node {
  readonly tag: number;
  readonly content: Buffer;
  /** Where the next one begins. */
  readonly end: number;
}

/** Null: it asks for no more than is bearable. Otherwise the end of a sentence that begins with what holds `der`. */
export function unbearableWork(der: Buffer): string | null {
  let rounds: number;
  try {
    rounds = roundsIn(der, 0);
  } catch (error) {
    if (error instanceof TooDeep) return `is nested more than ${MOST_DEPTH} levels deep`;
    throw error;
  }
  if (rounds <= MOST_ROUNDS) return null;
  const times = rounds < COUNTLESS ? `${rounds} times` : 'countless times';
  return `asks for its password to be hashed ${times}, of which ${MOST_ROUNDS} are allowed`;
}

/**
 * In PBKDF2's and scrypt's parameters, in PKCS12's and in its MAC, the count follows the salt: an integer behind an
 * octet string.
 */
function roundsIn(bytes: Buffer, depth: number): number {
  if (depth > MOST_DEPTH) throw new TooDeep();
  let rounds = 0;
  let afterSalt = false;
  /** scrypt's cost, block size and parallelism are worked through as often as their product says. */
  let factors: number[] = [];
  for (let at = 0; at < bytes.length;) {
    const node = nodeAt(bytes, at, depth);
    if (node === null) break;
    at = node.end;
    if (node.tag === INTEGER && afterSalt) {
      factors.push(unsigned(node.content));
      continue;
    }
    rounds += workOf(factors);
    factors = [];
    afterSalt = (node.tag & ~CONSTRUCTED) === OCTETS;
    // What an octet string holds may be DER in its turn.
    const holdsDer = afterSalt && node.content[0] === SEQUENCE;
    if (holdsDer || ((node.tag & CONSTRUCTED) !== 0 && !afterSalt)) rounds += roundsIn(node.content, depth + 1);
  }
  return rounds + workOf(factors);
}

function workOf(factors: readonly number[]): number {
  // PBKDF2 may have the key's length behind the count.
  if (factors.length < 3) return factors[0] ?? 0;
  // scrypt's may have it behind its three.
  return factors.slice(0, 3).reduce((product, factor) => Math.min(product * factor, COUNTLESS), 1);
}

/** Null: no DER. */
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

/** BER: of a length that its end tells. Its children are read once: twice a level would double the work of each. */
function openNode(bytes: Buffer, tag: number, start: number, depth: number): Node | null {
  if (depth > MOST_DEPTH) throw new TooDeep();
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
  if (depth > MOST_DEPTH) throw new TooDeep();
  const parts: Buffer[] = [];
  for (let at = 0; at < content.length;) {
    const part = nodeAt(content, at, depth + 1);
    if (part === null) break;
    parts.push(part.content);
    at = part.end;
  }
  return Buffer.concat(parts);
}

/** No count has more than eight bytes: OpenSSL refuses it. (The order of a curve may stand at such a place.) */
function unsigned(content: Buffer): number {
  if (content.length === 0 || content.length > 9) return 0;
  return content.length > 6 ? COUNTLESS : content.readUIntBE(0, content.length);
}
