/**
 * The first 32 bits of MurmurHash3's early 128-bit variant, whose two multipliers change with each block, as Debezium
 * uses it (seed 9001). Source: cdc-postgres §7.13.
 */
import type { Schema } from '@millrace/sdk';
import { javaHash } from './java-hash';

const SEED = 9001n;
const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);
const rotated = (value: bigint, bits: bigint): bigint => u64((value << bits) | (value >> (64n - bits)));

/** A 32-bit integer: of a text its UTF-8, of bytes themselves, of other values the four bytes of Java's hash code. */
export function murmurHash(schema: Schema | null, value: unknown): number {
  if (typeof value === 'string') return hashBytes(Buffer.from(value));
  const hash = Buffer.alloc(4);
  hash.writeInt32LE(javaHash(schema, value));
  return hashBytes(hash);
}

function hashBytes(bytes: Buffer): number {
  const state = new State();
  const whole = bytes.length & ~15;
  for (let at = 0; at < whole; at += 16) state.mix(bytes.readBigUInt64LE(at), bytes.readBigUInt64LE(at + 8));
  if (bytes.length > whole) {
    state.mix(tail(bytes.subarray(whole, whole + 8)), tail(bytes.subarray(whole + 8)));
  }
  return state.result(BigInt(bytes.length));
}

/** Up to eight bytes, each extended by its sign, which inverts the bits above it. */
function tail(bytes: Buffer): bigint {
  let word = 0n;
  for (let i = 0; i < bytes.length; i++) word ^= BigInt(bytes.readInt8(i)) << BigInt(8 * i);
  return u64(word);
}

class State {
  private h1 = 0x9368e53c2f6af274n ^ SEED;
  private h2 = 0x586dcd208f7cd3fdn ^ SEED;
  private c1 = 0x87c37b91114253d5n;
  private c2 = 0x4cf5ad432745937fn;

  mix(k1: bigint, k2: bigint): void {
    const { c1, c2 } = this;
    this.h1 = u64((this.h1 ^ u64(rotated(u64(k1 * c1), 23n) * c2)) + this.h2);
    this.h2 = rotated(this.h2, 41n);
    this.h2 = u64((this.h2 ^ u64(rotated(u64(k2 * c2), 23n) * c1)) + this.h1);
    this.h1 = u64(this.h1 * 3n + 0x52dce729n);
    this.h2 = u64(this.h2 * 3n + 0x38495ab5n);
    this.c1 = u64(c1 * 5n + 0x7b7d159cn);
    this.c2 = u64(c2 * 5n + 0x6bce6396n);
  }

  result(length: bigint): number {
    const h2 = this.h2 ^ length;
    const h1 = u64(this.h1 + h2);
    const sum = u64(finished(h1) + finished(u64(h2 + h1)));
    return Number(BigInt.asIntN(32, sum >> 32n));
  }
}

function finished(word: bigint): bigint {
  let k = word;
  k = u64((k ^ (k >> 33n)) * 0xff51afd7ed558ccdn);
  k = u64((k ^ (k >> 33n)) * 0xc4ceb9fe1a85ec53n);
  return k ^ (k >> 33n);
}
