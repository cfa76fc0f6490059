import { LogicalName, type SchemaType } from '@millrace/sdk';

/** In the order of their numbers in PROTOCOL.md. */
export const SCHEMA_TYPES: readonly SchemaType[] = [
  'INT8',
  'INT16',
  'INT32',
  'INT64',
  'FLOAT32',
  'FLOAT64',
  'BOOLEAN',
  'STRING',
  'BYTES',
  'ARRAY',
  'MAP',
  'STRUCT',
];

/** In place of a number: the sender forgets its schemas. */
export const FORGET = -1;
/** A sender forgets its schemas when it has numbered so many. */
export const MOST_SCHEMAS = 4096;
/** Levels of schemas inside of schemas. */
export const DEEPEST_SCHEMA = 100;

/** The type that each logical type has. A schema of another type is none of them, whatever its name. */
export const LOGICAL_TYPES: Readonly<Partial<Record<string, SchemaType>>> = Object.assign(
  Object.create(null) as Record<string, SchemaType>,
  {
    [LogicalName.DECIMAL]: 'BYTES',
    [LogicalName.DATE]: 'INT32',
    [LogicalName.TIME]: 'INT32',
    [LogicalName.TIMESTAMP]: 'INT64',
  },
);
