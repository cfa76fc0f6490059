/**
 * A struct's member whose value is often that of the record before, such as a table's name: its bytes, property name
 * included, are then there already. Remembers a value when it comes for the second time in a row.
 */
import type { OutputBuffer } from './output-buffer';

/** Longer text is not worth remembering, and would be kept from the collector. */
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
