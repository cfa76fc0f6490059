/** The JSON Schema of a plugin's manifest. */
import type { PluginEntry } from '@millrace/sdk';
import type Ajv from 'ajv';
import type { ValidateFunction } from 'ajv';
import { CONSOLE_SCHEMA, SIGNALS_SCHEMA } from './console-schema';

const TYPES = ['source', 'sink', 'converter', 'header_converter', 'transformation', 'predicate', 'column_converter'];
const name = { type: 'string', minLength: 1 };
/** Read by dev/bundle, too: a bundle has this module with the code that ajv compiles from the schema, without ajv. */
export const SCHEMA = {
  type: 'object',
  required: ['plugins'],
  properties: {
    plugins: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'class'],
        additionalProperties: false,
        properties: {
          type: { enum: TYPES },
          class: name,
          aliases: { type: 'array', items: name },
          taskClass: name,
          version: name,
          module: name,
          export: name,
          workerSettings: { type: 'array', items: name },
          putIsRepeatable: { type: 'boolean' },
          console: CONSOLE_SCHEMA,
          deadLetters: {
            ...{ type: 'object', required: ['topic'], additionalProperties: false },
            properties: { topic: name, bootstrapServers: name },
          },
          signals: SIGNALS_SCHEMA,
        },
      },
    },
  },
};

let validate: ValidateFunction<{ plugins: PluginEntry[] }> | null = null;

/** Whether a value is the `millrace` member of a plugin's `package.json`. */
export function manifestCheck(): ValidateFunction<{ plugins: PluginEntry[] }> {
  if (!validate) {
    // Loaded on demand: threads get a complete catalog and never need it.
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    const AjvClass = (require('ajv') as { default: typeof Ajv }).default;
    validate = new AjvClass({ allErrors: false }).compile(SCHEMA);
  }
  return validate;
}
