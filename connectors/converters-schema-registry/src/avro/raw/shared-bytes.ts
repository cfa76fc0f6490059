/** The bytes of the values that consecutive rows share, written once for the rows of all tables. */
import type { SharedValues } from '@millrace/sdk';
import { ByteOutput } from '../../byte-output';
import type { Encoding } from '../write/encoding';
import { Mismatch } from '../write/mismatch';
import { writeEncoded } from '../write/struct-code';

const NONE: SharedValues = [];

/** A text without its length is part of a longer one. */
export type SharedForm = Pick<Encoding, 'prefix' | 'nullBytes' | 'write'> | 'text';

interface Entry {
  readonly slot: number;
  readonly form: SharedForm;
}

export class SharedBytes {
  /** All entries, one after another. */
  bytes: Buffer = Buffer.alloc(0);
  /** Where each entry starts; the next one starts where it ends. */
  starts = new Int32Array(1);
  private readonly entries: Entry[] = [];
  private readonly unfit: boolean[] = [];
  private readonly out = new ByteOutput(256);
  private shared = NONE;

  /** The number of a value in one form: the same number for the same bytes. */
  entry(slot: number, form: SharedForm): number {
    const found = this.entries.findIndex((entry) => entry.slot === slot && isSame(entry.form, form));
    if (found >= 0) return found;
    this.shared = NONE;
    this.starts = new Int32Array(this.entries.length + 2);
    return this.entries.push({ slot, form }) - 1;
  }

  use(shared: SharedValues): void {
    if (shared === this.shared) return;
    const { out, entries, starts, unfit } = this;
    out.length = 0;
    for (let i = 0; i < entries.length; i++) {
      const { slot, form } = entries[i] as Entry;
      unfit[i] = !put(shared[slot], out, form);
      starts[i + 1] = out.length;
    }
    this.bytes = out.bytes;
    this.shared = shared;
  }

  /** Whether the value can be written so. */
  fits(entry: number): boolean {
    return this.unfit[entry] === false;
  }
}

function isSame(one: SharedForm, other: SharedForm): boolean {
  if (one === 'text' || other === 'text') return one === other;
  return one.write === other.write && isEqual(one.prefix, other.prefix) && isEqual(one.nullBytes, other.nullBytes);
}

function isEqual(one: Uint8Array | null, other: Uint8Array | null): boolean {
  return one === null || other === null ? one === other : Buffer.compare(one, other) === 0;
}

/** False: the value does not fit. */
function put(value: unknown, out: ByteOutput, form: SharedForm): boolean {
  if (form === 'text') {
    if (typeof value !== 'string' || !isWellFormed(value)) return false;
    out.append(Buffer.from(value));
    return true;
  }
  try {
    writeEncoded(value, out, form);
    return true;
  } catch (error) {
    if (error instanceof Mismatch) return false;
    throw error;
  }
}

const isWellFormed = (text: string): boolean => (text as unknown as { isWellFormed(): boolean }).isWellFormed();
