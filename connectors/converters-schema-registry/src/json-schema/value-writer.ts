/**
 * Connect values as JSON. Each schema is compiled once: a struct into a function whose names and punctuation are
 * constants, so that a field costs a call and no look-up by name.
 */
import {
  DAY_MS,
  LogicalName,
  decimalScale,
  decimalText,
  isDecimal,
  isInherited,
  javaDouble,
  javaFloat,
  readMember,
  temporalProblem,
  type Decimal,
  type Schema,
  unscaledBytes,
} from '@millrace/sdk';
import { ByteOutput } from '../byte-output';
import { isoText } from './iso-dates';
import type { JsonOutput } from './json-output';
import type { JsonSchemaSettings } from './json-schema-config';
import { quote } from './quote';
import { misfit, unusable } from './schema-error';
import { isObjectMap } from './schema-text';
import type { Shape } from './shape';
import { isUnion } from './sum-types';
import { targetForms, type TargetForms } from './target-forms';
import { MOST_DIGITS } from './vocabulary';

type Write = (value: unknown) => void;

/** A compiled schema. */
export interface Writer {
  readonly schema: Schema;
  /** Writes a value that is not null. Throws Misfit. */
  write: Write;
  /** What null becomes. Null: it is not allowed, or its member is left out. */
  nullText: Buffer | null;
  /** Whether a member that is null is left out. */
  omitsNull: boolean;
  /** By member of structs; for arrays and maps, `''` is that of the elements. */
  readonly parts: Map<string, Writer>;
}

const NULL = Buffer.from('null');
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const COLON = 0x3a;
const COMMA = 0x2c;
const ENTRY = Buffer.from('{"key":');
const ENTRY_MIDDLE = Buffer.from(',"value":');

const wrong = (): never => misfit('does not fit its schema');

export class WriterCompiler {
  private readonly own = new WeakMap<Schema, Writer>();
  private readonly aimed = new WeakMap<Shape, WeakMap<Schema, Writer>>();
  private readonly primitives: Readonly<Record<string, Write>>;

  constructor(
    private readonly settings: JsonSchemaSettings,
    private readonly out: JsonOutput,
  ) {
    this.primitives = primitives(out);
  }

  /** @param target the registered schema whose JSON is to be written; null: that of the schema itself */
  writer(schema: Schema, target: Shape | null): Writer {
    const cache = this.cache(target);
    const found = cache.get(schema);
    if (found !== undefined) return found;
    const writer: Writer = { schema, write: wrong, nullText: null, omitsNull: false, parts: new Map() };
    // A struct may contain itself.
    cache.set(schema, writer);
    const forms = targetForms(schema, target, this.settings);
    writer.write = this.nonNull(writer, forms);
    writer.nullText = this.nullText(writer, forms);
    return writer;
  }

  /** The JSON of a value, also while another one is being written. */
  text(schema: Schema, value: unknown): string {
    const { out } = this;
    const { target } = out;
    out.target = new ByteOutput(64);
    try {
      this.writer(schema, null).write(value);
      return Buffer.from(out.target.finish()).toString();
    } finally {
      out.target = target;
    }
  }

  private cache(target: Shape | null): WeakMap<Schema, Writer> {
    if (target === null) return this.own;
    let cache = this.aimed.get(target);
    if (cache === undefined) this.aimed.set(target, (cache = new WeakMap()));
    return cache;
  }

  private nullText(writer: Writer, { allowsNull }: TargetForms): Buffer | null {
    const { schema } = writer;
    const isKept = schema.optional && this.settings.ignoreDefaultForNullables;
    if (schema.default !== undefined && schema.default !== null && !isKept) {
      const { out } = this;
      const { target } = out;
      out.target = new ByteOutput(64);
      try {
        writer.write(schema.default);
        return Buffer.from(out.target.finish());
      } finally {
        out.target = target;
      }
    }
    writer.omitsNull = schema.optional && !allowsNull;
    return schema.optional && allowsNull ? NULL : null;
  }

  private nonNull(writer: Writer, forms: TargetForms): Write {
    const { schema } = writer;
    switch (schema.name) {
      case LogicalName.DECIMAL:
        return this.decimal(schema, forms.isDecimalText);
      case LogicalName.DATE:
      case LogicalName.TIME:
      case LogicalName.TIMESTAMP:
        return this.temporal(schema.name, this.primitives[schema.type] as Write, forms.isIsoText);
    }
    switch (schema.type) {
      case 'ARRAY':
        return this.array(this.part(writer, '', schema.valueSchema as Schema, forms.values));
      case 'MAP':
        return this.map(writer, forms);
      case 'STRUCT':
        return isUnion(schema) ? this.union(writer, forms) : this.struct(writer, forms);
      default:
        return this.primitives[schema.type] as Write;
    }
  }

  private part(writer: Writer, name: string, schema: Schema, target: Shape | null): Writer {
    const part = this.writer(schema, target);
    writer.parts.set(name, part);
    return part;
  }

  /**
   * One generated function: `o.raw(l0); w0.write(v.id); o.raw(l1); w1.write(v.title); …`. Names reach the code only as
   * JSON string literals.
   */
  private struct(writer: Writer, forms: TargetForms): Write {
    const constants: Record<string, unknown> = { o: this.out, wrong, read: readMember };
    const fields = writer.schema.fields ?? [];
    const parts = fields.map(({ name, schema }) => this.part(writer, name, schema, forms.field(name)));
    // Where no member is left out, the commas between them are constants.
    const isFixed = !forms.mayOmit;
    const steps = fields.map(({ name }, i) => {
      constants[`w${i}`] = parts[i];
      constants[`l${i}`] = Buffer.from(`${isFixed && i > 0 ? ',' : ''}${quote(name)}:`);
      const property = JSON.stringify(name);
      const value = isInherited(name) ? `read(v, ${property})` : `v[${property}]`;
      const start = `${isFixed ? '' : `if (n++ > 0) o.byte(${COMMA}); `}o.raw(l${i});`;
      return `x = ${value};
if (x !== null && x !== undefined) { ${start} w${i}.write(x); }
else if (w${i}.nullText !== null) { ${start} o.raw(w${i}.nullText); }
else if (!w${i}.omitsNull) wrong();`;
    });
    const source = `return function (v) {
if (typeof v !== 'object' || v instanceof Map || Array.isArray(v) || typeof v.then === 'function') wrong();
let x, n = 0;
o.byte(${OPEN_OBJECT});
${steps.join('\n')}
o.byte(${CLOSE_OBJECT});
}`;
    return (new Function(...Object.keys(constants), source) as (...args: unknown[]) => Write)(
      ...Object.values(constants),
    );
  }

  /** The first alternative that is not null. */
  private union(writer: Writer, forms: TargetForms): Write {
    const alternatives = (writer.schema.fields ?? []).map(({ name, schema }) => ({
      name,
      part: this.part(writer, name, schema, forms.field(name)),
    }));
    return (value) => {
      if (typeof value !== 'object' || value === null) wrong();
      for (const { name, part } of alternatives) {
        const member = readMember(value as Record<string, unknown>, name);
        if (member === null || member === undefined) continue;
        part.write(member);
        return;
      }
      misfit('is a union without a value');
    };
  }

  private array(element: Writer): Write {
    const { out } = this;
    return (value) => {
      if (!Array.isArray(value)) wrong();
      out.byte(OPEN_ARRAY);
      for (let i = 0; i < (value as unknown[]).length; i++) {
        if (i > 0) out.byte(COMMA);
        this.orNull(element, (value as unknown[])[i]);
      }
      out.byte(CLOSE_ARRAY);
    };
  }

  private orNull(writer: Writer, value: unknown): void {
    if (value !== null && value !== undefined) writer.write(value);
    else this.out.raw(writer.nullText ?? wrong());
  }

  private map(writer: Writer, forms: TargetForms): Write {
    const { out } = this;
    const { schema } = writer;
    const key = this.part(writer, '.key', schema.keySchema as Schema, forms.keys);
    const member = this.part(writer, '', schema.valueSchema as Schema, forms.values);
    if (forms.isObjectMap ?? isObjectMap(schema))
      return (value) => {
        if (!(value instanceof Map)) wrong();
        let isFirst = true;
        out.byte(OPEN_OBJECT);
        for (const [k, v] of value as Map<unknown, unknown>) {
          if (!isFirst) out.byte(COMMA);
          isFirst = false;
          if (typeof k !== 'string') misfit('has a key that is no string');
          out.string(k as string);
          out.byte(COLON);
          this.orNull(member, v);
        }
        out.byte(CLOSE_OBJECT);
      };
    return (value) => {
      if (!(value instanceof Map)) wrong();
      let isFirst = true;
      out.byte(OPEN_ARRAY);
      for (const [k, v] of value as Map<unknown, unknown>) {
        if (!isFirst) out.byte(COMMA);
        isFirst = false;
        out.raw(ENTRY);
        this.orNull(key, k);
        out.raw(ENTRY_MIDDLE);
        this.orNull(member, v);
        out.byte(CLOSE_OBJECT);
      }
      out.byte(CLOSE_ARRAY);
    };
  }

  private decimal(schema: Schema, isText: boolean): Write {
    const { out } = this;
    const scale = decimalScale(schema);
    if (Math.abs(scale) > MOST_DIGITS) throw unusable(`the scale of a Decimal is more than ${MOST_DIGITS}`);
    return (value) => {
      if (!isDecimal(value) || value.scale !== scale) wrong();
      if (isText) out.base64(unscaledBytes((value as Decimal).unscaled));
      else out.ascii(decimalText(value as Decimal));
    };
  }

  /** A `Date`, or the number that the schema's type holds. */
  private temporal(name: string, number: Write, isText: boolean): Write {
    const { out } = this;
    const unit = name === LogicalName.DATE ? DAY_MS : 1;
    if (isText)
      return (value) => {
        const date = value instanceof Date ? value : new Date(Number(value) * unit);
        const problem = temporalProblem(name, date);
        if (problem !== null) misfit(`has no text in ISO 8601: ${problem}`);
        out.string(isoText(name, date.getTime()));
      };
    return (value) => {
      if (!(value instanceof Date)) number(value);
      else if (temporalProblem(name, value) !== null) wrong();
      else out.integer(value.getTime() / unit);
    };
  }
}

function primitives(out: JsonOutput): Readonly<Record<string, Write>> {
  const int =
    (limit: number): Write =>
    (value) => {
      if (typeof value !== 'number' || !Number.isInteger(value) || value < -limit || value >= limit) wrong();
      out.integer(value as number);
    };
  const float =
    (text: (value: number) => string, round: (value: number) => number): Write =>
    (value) => {
      if (typeof value !== 'number') wrong();
      if (!Number.isFinite(round(value as number))) misfit('is no finite number, which JSON has no text for');
      out.ascii(text(value as number));
    };
  return {
    INT8: int(2 ** 7),
    INT16: int(2 ** 15),
    INT32: int(2 ** 31),
    INT64: (value) => {
      if (typeof value === 'number')
        out.integer(Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? value : wrong());
      else out.ascii(typeof value === 'bigint' && BigInt.asIntN(64, value) === value ? value.toString() : wrong());
    },
    FLOAT32: float(javaFloat, Math.fround),
    FLOAT64: float(javaDouble, (value) => value),
    BOOLEAN: (value) => (typeof value === 'boolean' ? out.ascii(value ? 'true' : 'false') : wrong()),
    STRING: (value) => (typeof value === 'string' ? out.string(value) : wrong()),
    BYTES: (value) => (value instanceof Uint8Array ? out.base64(value) : wrong()),
  };
}
