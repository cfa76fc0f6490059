/** Keys of the Protobuf converter beside those of the registry. Source: Confluent's documentation of the converter. */
import type { ConfigKey } from '@millrace/sdk';

export const PROTOBUF_CONFIG: readonly ConfigKey[] = [
  flag(
    'enhanced.protobuf.schema.support',
    false,
    'Whether packages are part of the names of schemas: for reading the full name of a message, and for writing the part of a name before its last dot as the package.',
  ),
  flag(
    'scrub.invalid.names',
    false,
    'Whether characters of schema and field names that Protobuf does not allow are replaced; otherwise such a schema is an error.',
  ),
  flag('int.for.enums', false, 'Whether enums are INT32 with their number; otherwise STRING with their name.'),
  flag(
    'optional.for.nullables',
    false,
    'Whether fields that may be null are written with the label optional, and read as optional only with it.',
  ),
  flag(
    'optional.for.proto2',
    true,
    'Whether an optional field of proto2 that is not there is read as null; otherwise as the default of its type.',
  ),
  flag(
    'generate.index.for.unions',
    true,
    'Whether the field that a oneof is read as has the index of the oneof after its name, e.g. payment_0.',
  ),
  flag(
    'generate.struct.for.nulls',
    false,
    'Whether a message that is not there is read as a struct with default values; otherwise as null.',
  ),
  flag(
    'wrapper.for.nullables',
    false,
    'Whether fields that may be null are written as wrapper messages, e.g. google.protobuf.Int32Value, and wrappers are read as the value in them.',
  ),
  flag(
    'wrapper.for.raw.primitives',
    true,
    'Whether a record that is no struct is written as a wrapper message, and such a message read as the value in it.',
  ),
  flag(
    'flatten.unions',
    false,
    'Whether the fields of a oneof are read as fields of the message; otherwise as those of a struct.',
  ),
  flag(
    'generalized.sum.type.support',
    false,
    'Whether the parameters that mark enums and unions are those that all formats share.',
  ),
  {
    name: 'schemas.cache.config',
    type: 'INT',
    default: 1000,
    importance: 'LOW',
    documentation: 'How many schemas Java’s converter remembers. No effect here.',
    withoutEffect: true,
  },
];

function flag(name: string, value: boolean, documentation: string): ConfigKey {
  return { name, type: 'BOOLEAN', default: value, importance: 'MEDIUM', documentation };
}
