/** The formats of schemas that the registry knows, each loaded when a schema first needs it. */
/* eslint-disable @typescript-eslint/no-require-imports */
import type * as Avro from './avro/avro-format';
import type { Formats } from './core/schema-parser';
import type * as JsonSchema from './json-schema/json-schema-format';
import type * as Protobuf from './protobuf/protobuf-format';

export const formats: Formats = {
  AVRO: () => (require('./avro/avro-format') as typeof Avro).avroFormat,
  JSON: () => (require('./json-schema/json-schema-format') as typeof JsonSchema).jsonSchemaFormat,
  PROTOBUF: () => (require('./protobuf/protobuf-format') as typeof Protobuf).protobufFormat,
};
