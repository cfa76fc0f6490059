/** Compiles readers of Avro data into Connect data, once per schema. */
import type { Field, Schema } from '@millrace/sdk';
import type { AvroRecord, AvroSchema, AvroUnion } from '../schema/avro-schema';
import type { ConnectView } from '../to-connect/avro-to-connect';
import type { ByteInput } from './byte-input';
import { logicalReader, type ReadValue } from './logical-readers';
import { structReader, unionReader } from './object-code';

interface OpenRecord {
  readonly level: number;
  read: ReadValue | null;
}

export class ReaderCompiler {
  private readonly records = new Map<AvroRecord, OpenRecord>();
  private level = 0;

  constructor(private readonly unionFields: ConnectView['unionFields']) {}

  reader(avro: AvroSchema, connect: Schema): ReadValue {
    this.level++;
    const read = this.compile(avro, connect);
    this.level--;
    return read;
  }

  private compile(avro: AvroSchema, connect: Schema): ReadValue {
    if (avro.type === 'union') return this.union(avro, connect);
    return logicalReader(connect, avro) ?? this.plain(avro, connect);
  }

  private plain(avro: Exclude<AvroSchema, AvroUnion>, connect: Schema): ReadValue {
    switch (avro.type) {
      case 'boolean':
        return (input) => input.boolean();
      case 'int':
        if (connect.type === 'INT8') return (input) => (input.int() << 24) >> 24;
        if (connect.type === 'INT16') return (input) => (input.int() << 16) >> 16;
        return (input) => input.int();
      case 'long':
        return (input) => input.long();
      case 'float':
        return (input) => input.float();
      case 'double':
        return (input) => input.double();
      case 'string':
        return (input) => input.string();
      case 'bytes':
        return (input) => input.binary();
      case 'fixed': {
        const { size } = avro;
        return (input) => input.fixed(size);
      }
      case 'enum': {
        const { symbols } = avro;
        return (input) => symbols[input.branch(symbols.length)];
      }
      case 'array':
        return connect.type === 'MAP'
          ? this.entries(avro.items as AvroRecord, connect)
          : this.array(avro.items, connect);
      case 'map':
        return this.map(avro.values, connect);
      case 'record':
        return this.record(avro, connect);
      case 'null':
        return () => null;
    }
  }

  private array(items: AvroSchema, connect: Schema): ReadValue {
    const element = this.reader(items, connect.valueSchema as Schema);
    return (input) => {
      const list: unknown[] = [];
      for (let count = input.block(); count > 0; count = input.block())
        for (let i = 0; i < count; i++) list.push(element(input));
      return list;
    };
  }

  private map(values: AvroSchema, connect: Schema): ReadValue {
    const value = this.reader(values, connect.valueSchema as Schema);
    return (input) => {
      const map = new Map<unknown, unknown>();
      for (let count = input.block(); count > 0; count = input.block())
        for (let i = 0; i < count; i++) map.set(input.string(), value(input));
      return map;
    };
  }

  private entries(entry: AvroRecord, connect: Schema): ReadValue {
    const isKeyFirst = entry.fields[0]?.name === 'key';
    const [keySchema, valueSchema] = entry.fields.map(({ schema }) => schema) as [AvroSchema, AvroSchema];
    const first = this.reader(keySchema, (isKeyFirst ? connect.keySchema : connect.valueSchema) as Schema);
    const second = this.reader(valueSchema, (isKeyFirst ? connect.valueSchema : connect.keySchema) as Schema);
    return (input) => {
      const map = new Map<unknown, unknown>();
      for (let count = input.block(); count > 0; count = input.block()) {
        for (let i = 0; i < count; i++) {
          const one = first(input);
          const other = second(input);
          if (isKeyFirst) map.set(one, other);
          else map.set(other, one);
        }
      }
      return map;
    };
  }

  private record(avro: AvroRecord, connect: Schema): ReadValue {
    const known = this.records.get(avro);
    if (known !== undefined) return known.read ?? this.recursive(known);
    const open: OpenRecord = { level: this.level, read: null };
    this.records.set(avro, open);
    const fields = avro.fields.map(({ name, schema }, index) => {
      return { name, read: this.reader(schema, (connect.fields?.[index] as Field).schema) };
    });
    open.read = fields.length === 0 ? readEmpty : structReader(fields);
    return open.read;
  }

  /** A record within itself. Its reader is not known before all of it is compiled. */
  private recursive(open: OpenRecord): ReadValue {
    const levels = this.level - open.level;
    return (input) => {
      input.enter(levels);
      const value = (open.read as ReadValue)(input);
      input.leave(levels);
      return value;
    };
  }

  private union(avro: AvroUnion, connect: Schema): ReadValue {
    const { types } = avro;
    const fields = this.unionFields.get(avro);
    if (fields !== undefined)
      return unionReader(
        types.map((type, index) => {
          const field = fields[index] ?? null;
          return field === null ? null : { name: field.name, read: this.reader(type, field.schema) };
        }),
      );
    const of = types.findIndex(({ type }) => type !== 'null');
    const read = this.compile(types[of] as AvroSchema, connect);
    const count = types.length;
    if (count === 1) return (input) => (input.branch(1), read(input));
    return (input) => (input.branch(count) === of ? read(input) : null);
  }
}

function readEmpty(input: ByteInput): unknown {
  input.countEmpty();
  return {};
}
