/** Connect data → JSON bytes in one buffer that is used again for every record. */
import type { Schema } from '@millrace/sdk';
import { schemaText } from './json-schema-text';
import { schemalessText } from './json-schemaless-writer';
import { JsonWriter, Mismatch, type WritePayload } from './json-writer';
import type { JsonSettings } from './json-config';
import { mismatchError } from './mismatch';

/** A buffer grown beyond this by one large record is given back. */
const KEEP_BYTES = 1 << 20;
const NOTHING = Buffer.alloc(0);
const SCHEMALESS_HEAD = Buffer.from('{"schema":null,"payload":');

interface Compiled {
  readonly schema: Schema | null;
  /** Everything before the payload; empty without schemas. */
  readonly head: Buffer;
  readonly write: WritePayload;
}

export class JsonSerializer {
  private readonly writer: JsonWriter;
  private readonly compiled = new WeakMap<Schema, Compiled>();
  private readonly schemaless: Compiled;
  private readonly tail: string;
  private last: Compiled;
  private buffer = Buffer.allocUnsafeSlow(8192);
  /** The head that `buffer` starts with: records of one schema come in runs, and its bytes are then there already. */
  private written: Buffer | null = null;

  constructor(private readonly settings: JsonSettings) {
    this.writer = new JsonWriter(settings);
    this.tail = settings.schemasEnable ? '}' : '';
    this.schemaless = {
      schema: null,
      head: settings.schemasEnable ? SCHEMALESS_HEAD : NOTHING,
      write: (value) => schemalessText(value, throwMismatch),
    };
    this.last = this.schemaless;
  }

  /** A view that is valid until the next call. */
  serialize(topic: string, schema: Schema | null, value: unknown): Uint8Array {
    const compiled = this.last.schema === schema ? this.last : this.find(schema);
    let text: string;
    try {
      text = compiled.write(value) + this.tail;
    } catch (error) {
      if (error instanceof Mismatch) throw mismatchError(schema, value, topic);
      throw error;
    }
    const head = compiled.head;
    // UTF-16 to UTF-8 takes three bytes a unit at most.
    this.reserve(head.length + text.length * 3);
    const buffer = this.buffer;
    if (this.written !== head) {
      buffer.set(head, 0);
      this.written = head;
    }
    const end = head.length + buffer.write(text, head.length);
    return buffer.subarray(0, end);
  }

  private find(schema: Schema | null): Compiled {
    let compiled = schema === null ? this.schemaless : this.compiled.get(schema);
    if (!compiled && schema) {
      compiled = { schema, head: this.head(schema), write: this.writer.writer(schema) };
      this.compiled.set(schema, compiled);
    }
    this.last = compiled as Compiled;
    return this.last;
  }

  private head(schema: Schema): Buffer {
    if (!this.settings.schemasEnable) return NOTHING;
    const text = schemaText(schema, (of, value) => this.writer.writer(of)(value));
    return Buffer.from(`{"schema":${text},"payload":`);
  }

  private reserve(bytes: number): void {
    const size = this.buffer.length;
    if (bytes <= size && (size <= KEEP_BYTES || bytes > KEEP_BYTES)) return;
    let next = 8192;
    while (next < bytes) next *= 2;
    if (next === size) return;
    this.buffer = Buffer.allocUnsafeSlow(next);
    this.written = null;
  }
}

function throwMismatch(): never {
  throw new Mismatch();
}
