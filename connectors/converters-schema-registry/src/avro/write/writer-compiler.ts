/**
 * Compiles writers of Connect data in an Avro schema: the one that the Connect schema maps to, or a registered one.
 * Fields are found by their names, types by what they can hold.
 */
import { LogicalName, type Field, type Schema } from '@millrace/sdk';
import { scaleOf } from '../from-connect/logical-props';
import { ByteOutput } from '../../byte-output';
import type { AvroSettings } from '../avro-settings';
import { KEY_FIELD } from '../connect-props';
import { hasDefault } from '../from-connect/connect-to-avro';
import { isUnion } from '../from-connect/connect-kinds';
import { scrubName } from '../from-connect/names';
import { schemaError } from '../schema-error';
import type { AvroField, AvroRecord, AvroSchema, AvroUnion } from '../schema/avro-schema';
import { isMapEntry } from '../schema/map-entry';
import type { Encoding, FieldEncoding, StructEncoding } from './encoding';
import { integerBytes, writeInteger } from './integers';
import { mismatch, Mismatch } from './mismatch';
import { chooseBranch } from './branches';
import { unfit, type WriteValue } from './primitive-writers';
import { scalarWriter } from './scalar-writer';
import { putBytes, structWriter, writeEncoded } from './struct-code';
import { defaultBytes } from './default-bytes';

const NOTHING = new Uint8Array(0);
/** Levels of a value whose schema contains itself. */
const MAX_DEPTH = 1_000;

export interface CompilerOptions {
  /** Whether the Avro schema must be able to hold whatever the Connect schema allows. */
  readonly strict: boolean;
  /** Whether Mismatch says where: for the second attempt, after a fast one has failed. */
  readonly traced: boolean;
}

interface OpenStruct {
  readonly level: number;
  encoding: StructEncoding | null;
}

export class WriterCompiler {
  private readonly structs = new Map<AvroRecord, Map<readonly Field[], OpenStruct>>();
  /** Of the schemas that are being compiled. */
  private readonly path: string[] = [];
  private depth = 0;

  constructor(
    private readonly settings: AvroSettings,
    private readonly options: CompilerOptions,
  ) {}

  /** To be called before each record. */
  readonly begin = (): void => {
    this.depth = 0;
  };

  /** @param isField where null stands for the default, if the schema has one */
  encoding(connect: Schema, avro: AvroSchema, isField: boolean): Encoding {
    if (isUnion(connect)) return this.union(connect, avro, isField);
    const nullable = nullBytesOf(avro);
    let branch = avro;
    let prefix: Uint8Array = NOTHING;
    if (avro.type === 'union') {
      const index = chooseBranch(connect, avro.types, this.settings);
      branch = avro.types[index] ?? this.refuse(`none of the types of its union in the registered schema can hold it`);
      prefix = integerBytes(index);
    }
    const struct = branch.type === 'record' && connect.type === 'STRUCT' ? this.struct(connect, branch) : null;
    const write = struct === null ? this.value(connect, branch) : struct.write;
    const usesDefault = isField && hasDefault(connect) && !this.settings.ignoreDefaults;
    let nullBytes: Uint8Array | null = null;
    if (usesDefault) nullBytes = this.bytesOf(connect.default, { prefix, nullBytes: null, write });
    else if (connect.optional) nullBytes = nullable;
    if (this.options.strict && connect.optional && !usesDefault && nullable === null)
      this.refuse('it may be null, which the registered schema does not allow');
    return { connect, avro: branch, prefix, nullBytes, write, struct: struct?.encoding ?? null };
  }

  private bytesOf(value: unknown, encoding: Pick<Encoding, 'prefix' | 'nullBytes' | 'write'>): Uint8Array {
    const out = new ByteOutput(64);
    try {
      writeEncoded(value, out, encoding);
    } catch (error) {
      if (error instanceof Mismatch) this.refuse(`its default does not fit: ${error.message}`);
      throw error;
    }
    return Buffer.from(out.finish());
  }

  /** The writer of values that are not null. */
  private value(connect: Schema, avro: AvroSchema): WriteValue {
    switch (connect.type) {
      case 'ARRAY':
        return avro.type === 'array' ? this.array(connect, avro.items) : this.refuse(holds(connect, avro));
      case 'MAP':
        return this.map(connect, avro);
      case 'STRUCT':
        return avro.type === 'record' ? this.struct(connect, avro).write : this.refuse(holds(connect, avro));
      default: {
        const scale = connect.name === LogicalName.DECIMAL ? scaleOf(connect) : 0;
        return scalarWriter(connect, avro, scale, this.options.strict) ?? this.refuse(holds(connect, avro));
      }
    }
  }

  private array(connect: Schema, items: AvroSchema): WriteValue {
    const element = this.within('[]', () => this.encoding(connect.valueSchema as Schema, items, false));
    const write = this.traced(encodedWriter(element));
    return (value, out) => {
      if (!Array.isArray(value)) unfit(value, 'ARRAY');
      const list = value as readonly unknown[];
      if (list.length > 0) writeInteger(out, list.length);
      for (let i = 0; i < list.length; i++) write(list[i], out, i);
      writeInteger(out, 0);
    };
  }

  private map(connect: Schema, avro: AvroSchema): WriteValue {
    if (avro.type === 'map') return this.stringMap(connect, avro.values);
    if (avro.type !== 'array' || !isMapEntry(avro.items)) return this.refuse(holds(connect, avro));
    const fields = avro.items.fields.map((field) => {
      const schema = field.name === KEY_FIELD ? connect.keySchema : connect.valueSchema;
      const encoding = this.within(field.name, () => this.encoding(schema as Schema, field.schema, false));
      return { isKey: field.name === KEY_FIELD, write: this.traced(encodedWriter(encoding)) };
    });
    if (fields.length !== 2 || !fields.some(({ isKey }) => isKey)) return this.refuse(holds(connect, avro));
    const [first, second] = fields as [(typeof fields)[0], (typeof fields)[0]];
    return (value, out) => {
      if (!(value instanceof Map)) unfit(value, 'MAP');
      const map = value as ReadonlyMap<unknown, unknown>;
      if (map.size > 0) writeInteger(out, map.size);
      let i = 0;
      for (const [key, member] of map) {
        first.write(first.isKey ? key : member, out, i);
        second.write(second.isKey ? key : member, out, i++);
      }
      writeInteger(out, 0);
    };
  }

  private stringMap(connect: Schema, values: AvroSchema): WriteValue {
    const keySchema = connect.keySchema as Schema;
    if (keySchema.type !== 'STRING') return this.refuse('its keys are no strings, which a map of Avro needs');
    const key = this.traced(scalarWriter(keySchema, { type: 'string', props: new Map() }, 0, true) as WriteValue);
    const encoding = this.within('{}', () => this.encoding(connect.valueSchema as Schema, values, false));
    const write = this.traced(encodedWriter(encoding));
    return (value, out) => {
      if (!(value instanceof Map)) unfit(value, 'MAP');
      const map = value as ReadonlyMap<unknown, unknown>;
      if (map.size > 0) writeInteger(out, map.size);
      for (const [name, member] of map) {
        key(name, out, 'key');
        write(member, out, name as string);
      }
      writeInteger(out, 0);
    };
  }

  private struct(connect: Schema, avro: AvroRecord): Pick<OpenStruct, 'encoding'> & { readonly write: WriteValue } {
    const fields = connect.fields ?? [];
    let known = this.structs.get(avro);
    if (known === undefined) this.structs.set(avro, (known = new Map<readonly Field[], OpenStruct>()));
    const open = known.get(fields);
    if (open === undefined) {
      const made: OpenStruct = { level: this.path.length, encoding: null };
      known.set(fields, made);
      made.encoding = this.structEncoding(connect, avro);
      return { encoding: made.encoding, write: made.encoding.write };
    }
    const { encoding } = open;
    return { encoding, write: encoding === null ? this.recursive(open) : encoding.write };
  }

  /** A struct within itself. Its writer is not known before all of it is compiled. */
  private recursive(open: OpenStruct): WriteValue {
    const levels = this.path.length - open.level;
    return (value, out) => {
      this.depth += levels;
      if (this.depth > MAX_DEPTH) mismatch(`the value is nested deeper than ${MAX_DEPTH} levels`);
      (open.encoding as StructEncoding).write(value, out);
      this.depth -= levels;
    };
  }

  private structEncoding(connect: Schema, avro: AvroRecord): StructEncoding {
    const members = new Map<string, Field>();
    for (const field of connect.fields ?? [])
      members.set(this.settings.scrub ? scrubName(field.name) : field.name, field);
    const fields = avro.fields.map((field) => this.field(field, members));
    return { fields, write: structWriter(fields) };
  }

  private field(avro: AvroField, members: ReadonlyMap<string, Field>): FieldEncoding {
    const name = [avro.name, ...avro.aliases].find((one) => members.has(one));
    return this.within(avro.name, () => {
      if (name === undefined) {
        const bytes = defaultBytes(avro.schema, avro.default) ?? this.refuse('the record has no such field');
        return { name: avro.name, index: -1, encoding: null, bytes };
      }
      const member = members.get(name) as Field;
      const encoding = this.encoding(member.schema, avro.schema, true);
      const write = this.traced(encoding.write);
      const named: WriteValue = this.options.traced ? (value, out) => write(value, out, member.name) : encoding.write;
      return { name: member.name, index: member.index, encoding: { ...encoding, write: named }, bytes: NOTHING };
    });
  }

  /** A struct that stands for a union: the first member that is not null is written. */
  private union(connect: Schema, avro: AvroSchema, isField: boolean): Encoding {
    const target: AvroUnion = avro.type === 'union' ? avro : { type: 'union', types: [avro] };
    const isWrapped = avro.type === 'union';
    const members = (connect.fields ?? []).map((field) =>
      this.within(field.name, () => {
        const index = chooseBranch(field.schema, target.types, this.settings);
        const branch = target.types[index] ?? this.refuse('none of the types of its union can hold it');
        const write = this.traced(this.value(field.schema, branch));
        const byDefault = this.settings.ignoreDefaults ? undefined : field.schema.default;
        return { name: field.name, byDefault, prefix: isWrapped ? integerBytes(index) : NOTHING, write };
      }),
    );
    const nullBytes = connect.optional ? nullBytesOf(avro) : null;
    const write: WriteValue = (value, out) => {
      if (typeof value !== 'object' || Array.isArray(value)) unfit(value, 'STRUCT');
      for (const member of members) {
        const chosen = memberOf(value as Record<string, unknown>, member.name) ?? member.byDefault;
        if (chosen === null || chosen === undefined) continue;
        putBytes(out, member.prefix);
        member.write(chosen, out, member.name);
        return;
      }
      if (nullBytes === null) mismatch('none of the members of the union has a value');
      out.append(nullBytes as Uint8Array);
    };
    const usesDefault = isField && hasDefault(connect) && !this.settings.ignoreDefaults;
    const byDefault = usesDefault ? this.bytesOf(connect.default, { prefix: NOTHING, nullBytes, write }) : nullBytes;
    return { connect, avro: target, prefix: NOTHING, nullBytes: byDefault, write, struct: null };
  }

  private within<T>(segment: string, compile: () => T): T {
    this.path.push(segment);
    const made = compile();
    this.path.pop();
    return made;
  }

  /** A writer that adds where it is to a Mismatch. */
  private traced(write: WriteValue): (value: unknown, out: ByteOutput, segment: string | number) => void {
    if (!this.options.traced) return write;
    return (value, out, segment) => {
      try {
        write(value, out);
      } catch (error) {
        if (error instanceof Mismatch) error.path.unshift(typeof segment === 'number' ? `[${segment}]` : segment);
        throw error;
      }
    };
  }

  private refuse(reason: string): never {
    const path = this.path.join('.');
    throw schemaError(
      `${path === '' ? 'The value' : `Field "${path}"`} cannot be written with the Avro schema: ${reason}.`,
      path === '' ? {} : { field: path },
    );
  }
}

function encodedWriter(encoding: Encoding): WriteValue {
  return (value, out) => writeEncoded(value, out, encoding);
}

function memberOf(struct: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(struct, name) ? struct[name] : undefined;
}

function holds(connect: Schema, avro: AvroSchema): string {
  return `its type is ${connect.type}${connect.name === null ? '' : ` (${connect.name})`}, and that of the Avro schema is ${avro.type}`;
}

/** What is written for null. Null: the Avro schema does not allow it. */
function nullBytesOf(avro: AvroSchema): Uint8Array | null {
  if (avro.type === 'null') return NOTHING;
  const index = avro.type === 'union' ? avro.types.findIndex(({ type }) => type === 'null') : -1;
  return index < 0 ? null : integerBytes(index);
}
