/** Names with a meaning in the schemas of Confluent's AvroConverter. Source: its class AvroData. */

export const NAMESPACE = 'io.confluent.connect.avro';
/** Of structs without a name; a number follows from the second one on. */
export const DEFAULT_NAME = 'ConnectDefault';
/** The record of a map's entry, for maps whose keys are no strings. */
export const MAP_ENTRY = 'MapEntry';
export const KEY_FIELD = 'key';
export const VALUE_FIELD = 'value';
export const ANYTHING = `${NAMESPACE}.Anything`;

/** Attributes of Avro types. */
export const Prop = {
  NAME: 'connect.name',
  DOC: 'connect.doc',
  VERSION: 'connect.version',
  DEFAULT: 'connect.default',
  PARAMETERS: 'connect.parameters',
  TYPE: 'connect.type',
  INTERNAL_TYPE: 'connect.internal.type',
  LOGICAL_TYPE: 'logicalType',
  SCALE: 'scale',
  PRECISION: 'precision',
} as const;

/** Parameters of Connect schemas. */
export const Param = {
  RECORD_DOC: `${NAMESPACE}.record.doc`,
  /** The name of the field follows. */
  FIELD_DOC: `${NAMESPACE}.field.doc.`,
  /** The name of the enum follows. */
  ENUM_DOC: `${NAMESPACE}.enum.doc.`,
  ENUM_DEFAULT: `${NAMESPACE}.enum.default.`,
  /** The default is that of an Avro field, and not of its type. */
  FIELD_DEFAULT: `${NAMESPACE}.field.default`,
  /** With `discard.type.doc.default`. */
  PLAIN_RECORD_DOC: 'connect.record.doc',
  PLAIN_ENUM_DOC: 'connect.enum.doc',
  FIXED_SIZE: 'connect.fixed.size',
  PRECISION: 'connect.decimal.precision',
  SCALE: 'scale',
  ENUM: `${NAMESPACE}.Enum`,
  GENERAL_ENUM: 'org.apache.kafka.connect.data.Enum',
  GENERAL_UNION: 'org.apache.kafka.connect.data.Union',
} as const;

/** Name of the structs that stand for unions. */
export const UNION_NAME = `${NAMESPACE}.Union`;
export const GENERAL_UNION_PREFIX = 'connect_union_';
export const GENERAL_UNION_FIELD_PREFIX = `${GENERAL_UNION_PREFIX}field_`;
/** Parameters and attributes whose names begin so are copied between schemas. */
export const AVRO_PREFIX = 'avro';
/** Precision of decimals whose Connect schema has none. */
export const DEFAULT_PRECISION = 64;
