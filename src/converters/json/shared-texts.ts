/** The JSON of the values that consecutive rows share, written once for all of them. */
import type { SharedValues } from '@millrace/sdk';
import { OutputBuffer } from './output-buffer';

const NOTHING = new Uint8Array(0);
const NONE: SharedValues = [];

export class SharedTexts {
  /** All texts, one after another. */
  bytes: Buffer = Buffer.alloc(0);
  /** Where each text starts; the next one starts where it ends. */
  readonly starts: number[] = [0];
  private readonly out = new OutputBuffer();
  private shared = NONE;

  use(shared: SharedValues): void {
    if (shared === this.shared) return;
    const { out, starts } = this;
    out.start(NOTHING);
    for (let slot = 0; slot < shared.length; slot++) {
      const value = shared[slot];
      if (typeof value === 'number') out.integer(value);
      else if (typeof value === 'string') out.string(value);
      else out.ascii(String(value));
      starts[slot + 1] = out.length;
    }
    this.bytes = out.finish();
    this.shared = shared;
  }
}
