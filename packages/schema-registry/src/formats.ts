/** The formats of schemas that the registry knows, each loaded when a schema first needs it. */
/* eslint-disable @typescript-eslint/no-require-imports */
import type * as Avro from './avro/avro-format';
import type { Formats } from './core/schema-parser';
import { InvalidSchema } from './registry-error';

export const formats: Formats = {
  AVRO: () => (require('./avro/avro-format') as typeof Avro).avroFormat,
  JSON: () => {
    throw new InvalidSchema('JSON Schema is not supported yet');
  },
  PROTOBUF: () => {
    throw new InvalidSchema('Protobuf is not supported yet');
  },
};
