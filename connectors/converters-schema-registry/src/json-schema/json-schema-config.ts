/** Settings of JsonSchemaConverter. Source: Confluent's documentation of the converter and of its serializer. */
import { ConfigError, type ConfigKey, type ConnectorConfig } from '@millrace/sdk';

const VERSIONS = ['draft_4', 'draft_6', 'draft_7', 'draft_2019_09', 'draft_2020_12'] as const;
const DECIMAL_FORMATS = ['BASE64', 'NUMERIC'] as const;

export type SpecVersion = (typeof VERSIONS)[number];
export type DecimalFormat = (typeof DECIMAL_FORMATS)[number];

const oneOf =
  (values: readonly string[]) =>
  (value: unknown): string | null =>
    typeof value === 'string' && values.some((one) => one.toLowerCase() === value.toLowerCase())
      ? null
      : `String must be one of (case insensitive): ${values.join(', ')}`;

const flag = (name: string, of: boolean, order: number, displayName: string, documentation: string): ConfigKey => ({
  name,
  type: 'BOOLEAN',
  default: of,
  importance: 'MEDIUM',
  documentation,
  group: 'JSON Schema',
  order,
  width: 'MEDIUM',
  displayName,
});

export const JSON_SCHEMA_CONFIG: readonly ConfigKey[] = [
  flag(
    'json.fail.invalid.schema',
    false,
    0,
    'Fail Invalid Schema',
    'Whether each value is validated with its JSON Schema, when it is written and when it is read.',
  ),
  flag(
    'json.oneof.for.nullables',
    true,
    1,
    'OneOf For Nullables',
    'Whether an optional value is a oneOf with null in the schema. Otherwise its type is a list with null.',
  ),
  {
    name: 'json.schema.spec.version',
    type: 'STRING',
    default: 'draft_7',
    importance: 'MEDIUM',
    documentation: `The version of JSON Schema that schemas are written in: ${VERSIONS.join(', ')}.`,
    group: 'JSON Schema',
    order: 2,
    width: 'MEDIUM',
    displayName: 'JSON Schema Spec Version',
    accepts: { values: VERSIONS, anyCase: true },
    validator: oneOf(VERSIONS),
  },
  flag(
    'json.write.dates.iso8601',
    false,
    3,
    'Write Dates as ISO 8601',
    'Whether values of the logical types Date, Time and Timestamp are written as texts instead of numbers.',
  ),
  flag(
    'object.additional.properties',
    true,
    4,
    'Object Additional Properties',
    'Whether the schemas of structs allow members that they do not declare.',
  ),
  flag(
    'use.optional.for.nonrequired',
    false,
    5,
    'Use Optional For Non-required',
    'Whether properties that a schema does not require are optional fields. Schemas then require the other fields.',
  ),
  {
    name: 'decimal.format',
    type: 'STRING',
    default: 'BASE64',
    importance: 'LOW',
    documentation: 'How decimals are written: BASE64 (their bytes) or NUMERIC (JSON numbers).',
    group: 'JSON Schema',
    order: 6,
    width: 'MEDIUM',
    displayName: 'Decimal Format',
    accepts: { values: DECIMAL_FORMATS, anyCase: true },
    validator: oneOf(DECIMAL_FORMATS),
  },
  flag(
    'generalized.sum.type.support',
    false,
    7,
    'Generalized Sum Type Support',
    'Whether enums and unions that are read have the names that all formats share.',
  ),
  flag(
    'ignore.default.for.nullables',
    false,
    8,
    'Ignore Default For Nullables',
    'Whether null in an optional field stays null although the field has a default.',
  ),
  {
    name: 'schemas.cache.config',
    type: 'INT',
    default: 1000,
    importance: 'LOW',
    documentation: 'How many schemas Java’s converter remembers. Here, schemas are kept while they are used.',
    withoutEffect: true,
    group: 'JSON Schema',
    order: 9,
    width: 'MEDIUM',
    displayName: 'Schema Cache Size',
    validator: (value) => (typeof value === 'number' && value < 1 ? 'Value must be at least 1' : null),
  },
];

export interface JsonSchemaSettings {
  readonly failInvalid: boolean;
  readonly oneOfForNullables: boolean;
  readonly specVersion: SpecVersion;
  readonly isoDates: boolean;
  readonly additionalProperties: boolean;
  readonly optionalForNonRequired: boolean;
  readonly decimalFormat: DecimalFormat;
  readonly generalizedSumTypes: boolean;
  readonly ignoreDefaultForNullables: boolean;
}

/** Throws ConfigError `CONVERTER_CONFIG`. */
export function jsonSchemaSettings(config: ConnectorConfig): JsonSchemaSettings {
  return {
    failInvalid: flagOf(config, 'json.fail.invalid.schema', false),
    oneOfForNullables: flagOf(config, 'json.oneof.for.nullables', true),
    specVersion: choiceOf(config, 'json.schema.spec.version', VERSIONS, 'draft_7'),
    isoDates: flagOf(config, 'json.write.dates.iso8601', false),
    additionalProperties: flagOf(config, 'object.additional.properties', true),
    optionalForNonRequired: flagOf(config, 'use.optional.for.nonrequired', false),
    decimalFormat: choiceOf(config, 'decimal.format', DECIMAL_FORMATS, 'BASE64'),
    generalizedSumTypes: flagOf(config, 'generalized.sum.type.support', false),
    ignoreDefaultForNullables: flagOf(config, 'ignore.default.for.nullables', false),
  };
}

function flagOf(config: ConnectorConfig, key: string, otherwise: boolean): boolean {
  const text = textOf(config, key)?.toLowerCase();
  if (text === undefined) return otherwise;
  if (text === 'true' || text === 'false') return text === 'true';
  throw invalid(key, 'must be true or false');
}

function choiceOf<T extends string>(config: ConnectorConfig, key: string, values: readonly T[], otherwise: T): T {
  const text = textOf(config, key)?.toLowerCase();
  if (text === undefined) return otherwise;
  const found = values.find((value) => value.toLowerCase() === text);
  if (found === undefined) throw invalid(key, `must be one of ${values.join(', ')}`);
  return found;
}

function textOf(config: ConnectorConfig, key: string): string | undefined {
  return Object.hasOwn(config, key) ? config[key]?.trim() : undefined;
}

function invalid(key: string, reason: string): ConfigError {
  return new ConfigError(`The converter setting "${key}" ${reason}.`, { code: 'CONVERTER_CONFIG', place: { key } });
}
