/** Connect data → JSON bytes in one buffer that is reused for every record. */
import { checkValue, DataError, TOO_DEEP, type RawCells, type RawStruct, type Schema } from '@millrace/sdk';
import type { JsonSettings } from './config';
import { OutputBuffer } from './output-buffer';
import { schemaText } from './schema-writer';
import { PayloadWriter, Mismatch, TooDeep, type WritePayload } from './payload-writer';
import type { Plan } from './raw-steps';
import { RawWriter } from './raw-writer';

const NOTHING = Buffer.alloc(0);
const SCHEMALESS_HEAD = Buffer.from('{"schema":null,"payload":');
const END = Buffer.from('}');

interface Compiled {
  readonly schema: Schema | null;
  /** Everything before the payload; empty without schemas. */
  readonly head: Buffer;
  readonly write: WritePayload;
}

/** Together, because consecutive rows may be of other tables: one look-up for each. */
interface CompiledRaw {
  readonly struct: RawStruct | null;
  readonly head: Buffer;
  readonly plan: Plan | null;
}

export class JsonSerializer {
  private readonly out = new OutputBuffer();
  private readonly writer: PayloadWriter;
  private readonly raw: RawWriter;
  private readonly compiled = new WeakMap<Schema, Compiled>();
  private readonly schemaless: Compiled;
  private readonly tail: Buffer;
  private last: Compiled;
  private readonly compiledRaw = new WeakMap<RawStruct, CompiledRaw>();
  private lastRaw: CompiledRaw = { struct: null, head: NOTHING, plan: null };

  constructor(private readonly settings: JsonSettings) {
    this.writer = new PayloadWriter(settings, this.out);
    this.raw = new RawWriter(settings, this.writer, this.out);
    this.tail = settings.schemasEnable ? END : NOTHING;
    this.schemaless = {
      schema: null,
      head: settings.schemasEnable ? SCHEMALESS_HEAD : NOTHING,
      write: this.writer.schemaless(),
    };
    this.last = this.schemaless;
  }

  /** A view that is valid until the next call. */
  serialize(topic: string, schema: Schema | null, value: unknown): Uint8Array {
    const compiled = this.last.schema === schema ? this.last : this.find(schema);
    const { out } = this;
    out.start(compiled.head);
    try {
      compiled.write(value);
    } catch (error) {
      if (error instanceof Mismatch) throw mismatchError(schema, value, topic, error);
      throw error;
    }
    out.raw(this.tail);
    return out.finish();
  }

  /** As `serialize`. Null: the plain value must be written. */
  serializeRaw(struct: RawStruct, row: RawCells): Uint8Array | null {
    const { head, plan } = this.lastRaw.struct === struct ? this.lastRaw : this.findRaw(struct);
    const { out, raw } = this;
    if (plan === null) return null;
    out.start(head);
    try {
      if (!raw.write(plan, row)) return null;
    } catch (error) {
      // Written again as a plain value, it gets the error that names the field.
      if (error instanceof Mismatch) return null;
      throw error;
    }
    out.raw(this.tail);
    return out.finish();
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

  private findRaw(struct: RawStruct): CompiledRaw {
    let compiled = this.compiledRaw.get(struct);
    if (compiled === undefined) {
      compiled = { struct, head: this.find(struct.schema).head, plan: this.raw.plan(struct) };
      this.compiledRaw.set(struct, compiled);
    }
    return (this.lastRaw = compiled);
  }

  private head(schema: Schema): Buffer {
    if (!this.settings.schemasEnable) return NOTHING;
    const text = schemaText(schema, (of, value) => this.writer.text(of, value));
    return Buffer.from(`{"schema":${text},"payload":`);
  }
}

/** The error for a value that does not fit its schema: names the field path, the schema's type and the value's. */
function mismatchError(schema: Schema | null, value: unknown, topic: string, error: Mismatch): DataError {
  const problem = checkValue(schema, value);
  const where = problem && problem.path !== '' ? `field "${problem.path}"` : 'the value';
  const reason = problem?.reason ?? (error instanceof TooDeep ? TOO_DEEP : 'it cannot be written');
  return new DataError(`Conversion error in ${where}: ${reason}.`, {
    code: 'CONVERTER_MISMATCH',
    place: { topic, ...(problem && problem.path !== '' ? { field: problem.path } : {}) },
  });
}
