/**
 * A struct's member that often repeats from record to record, such as a table's name: its bytes, property name
 * included, are cached. A value is cached when it occurs for the second time in a row.
 */
import type { OutputBuffer } from './output-buffer';

/** Longer text is not cached: it would be kept from the garbage collector. */
const LONGEST = 100;
const NONE = Symbol('no value');

export class RepeatedMember {
  /** While a member's value is this, `bytes` are its JSON. */
  value: unknown = NONE;
  bytes: Uint8Array = Buffer.alloc(0);
  private before: unknown = NONE;

  /** @param write of values that are equal by `===` only if their JSON is */
  constructor(
    private readonly out: OutputBuffer,
    private readonly literal: Uint8Array,
    private readonly write: (value: unknown) => void,
  ) {}

  add(value: unknown): void {
    const { out } = this;
    const start = out.length;
    out.raw(this.literal);
    this.write(value);
    if (value === this.before) {
      this.value = value;
      this.bytes = out.since(start);
    } else if (typeof value !== 'string' || value.length <= LONGEST) this.before = value;
  }
}
