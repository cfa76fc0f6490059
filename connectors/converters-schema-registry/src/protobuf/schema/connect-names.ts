/**
 * Names by which Connect schemas and Protobuf types say more than their types do. Sources: Confluent's documentation
 * and public threads (`…Tag`, `connect.type`, parameters of Decimal), AvroData for the names that all formats share.
 */
import type { MessageType } from './proto-model';

/** Parameter of a schema that was read from a field: its number. */
export const TAG = 'io.confluent.connect.protobuf.Tag';
/** Parameter of a schema that stands for an enum: its name; with a dot and a value's name: the value's number. */
export const ENUM = 'io.confluent.connect.protobuf.Enum';
export const GENERALIZED_ENUM = 'org.apache.kafka.connect.data.Enum';
/** Name of a struct that stands for a oneof, with a dot and its name. */
export const UNION = 'io.confluent.connect.protobuf.Union';
/** Parameter of a struct that stands for a oneof: its name. */
export const GENERALIZED_UNION = 'org.apache.kafka.connect.data.Union';
export const GENERALIZED_UNION_NAME = 'connect_union';
/** Parameter of Decimal. */
export const PRECISION = 'connect.decimal.precision';

/** Parameter in `confluent.field_meta`: `int8` or `int16`. */
export const CONNECT_TYPE = 'connect.type';
/**
 * Parameter in `confluent.message_meta` of messages that Connect schemas do not have. `value`: the message stands for
 * its only field, as Protobuf has no lists in lists, and no list or map as a record; `entry`: a list of them is a map.
 */
export const STANDS_FOR = 'millrace.stands.for';

/** What messages with a meaning are in Connect. */
export type Logical = 'timestamp' | 'date' | 'time' | 'decimal';

const LOGICALS: ReadonlyMap<string, Logical> = new Map([
  ['google.protobuf.Timestamp', 'timestamp'],
  ['google.type.Date', 'date'],
  ['google.type.TimeOfDay', 'time'],
  ['confluent.type.Decimal', 'decimal'],
]);

export const LOGICAL_MESSAGES: Readonly<Record<Logical, { readonly fullName: string; readonly file: string }>> = {
  timestamp: { fullName: 'google.protobuf.Timestamp', file: 'google/protobuf/timestamp.proto' },
  date: { fullName: 'google.type.Date', file: 'google/type/date.proto' },
  time: { fullName: 'google.type.TimeOfDay', file: 'google/type/timeofday.proto' },
  decimal: { fullName: 'confluent.type.Decimal', file: 'confluent/type/decimal.proto' },
};

export function logicalOf(message: MessageType): Logical | null {
  return LOGICALS.get(message.fullName) ?? null;
}

const WRAPPERS: ReadonlySet<string> = new Set(
  ['Double', 'Float', 'Int64', 'UInt64', 'Int32', 'UInt32', 'Bool', 'String', 'Bytes'].map(
    (name) => `google.protobuf.${name}Value`,
  ),
);

export function isWrapper(message: MessageType): boolean {
  return WRAPPERS.has(message.fullName) && message.fields.length === 1;
}

/** The message's only field, if it stands for that. */
export function stoodFor(message: MessageType): boolean {
  return message.fields.length === 1 && message.meta.params.get(STANDS_FOR) === 'value';
}

/** Whether a list of the messages is a map. */
export function isEntry(message: MessageType): boolean {
  return (
    message.mapEntry ||
    (message.meta.params.get(STANDS_FOR) === 'entry' &&
      message.fields.length === 2 &&
      message.fieldsByName.has('key') &&
      message.fieldsByName.has('value'))
  );
}
