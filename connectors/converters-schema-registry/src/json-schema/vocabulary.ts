/**
 * Names by which JSON Schemas hold what Connect's schemas have and JSON Schema lacks. Sources: Confluent's
 * documentation of JSON Schema types, and schemas in public that its converters registered.
 */

/** Attributes. A schema's name is its `title`, its doc its `description`. */
export const CONNECT_TYPE = 'connect.type';
export const CONNECT_VERSION = 'connect.version';
export const CONNECT_PARAMETERS = 'connect.parameters';
/** The place of a field in its struct. */
export const CONNECT_INDEX = 'connect.index';

/** The name of the struct that stands for `oneOf` and `anyOf`. Its fields: this, `.field.` and a number. */
export const UNION_NAME = 'io.confluent.connect.json.OneOf';
/** The parameter of a string that stands for an `enum`; another for each value has this and a dot before it. */
export const ENUM_PARAMETER = 'io.confluent.connect.json.Enum';

/** The same with `generalized.sum.type.support`, as in the Avro converter: a parameter marks the struct. */
export const GENERALIZED_UNION = 'org.apache.kafka.connect.data.Union';
export const GENERALIZED_UNION_PREFIX = 'connect_union_';
export const GENERALIZED_ENUM = 'org.apache.kafka.connect.data.Enum';

/** Members of the objects that are the entries of a map whose keys are no strings. */
export const ENTRY_KEY = 'key';
export const ENTRY_VALUE = 'value';

/** What is more is no schema of people, and would cost too much. */
export const MOST_SCHEMA_CHARACTERS = 1 << 20;
/** Of all schemas that one schema refers to, together. */
export const MOST_CHARACTERS_IN_ALL = 4 << 20;
export const DEEPEST_SCHEMA = 200;
/** Of a decimal: an exponent, or a scale, beyond it makes a number that takes seconds to compute. */
export const MOST_DIGITS = 10_000;
