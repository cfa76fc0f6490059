/** Settings of JsonConverter. Sources: connect-runtime §6.2, connect-rest §3.4 (6). */
import type { ConfigKey } from '@millrace/sdk';
import { CONVERTER_TYPE } from '../converter-type';

export const JSON_CONFIG: readonly ConfigKey[] = [
  CONVERTER_TYPE,
  {
    name: 'schemas.enable',
    type: 'BOOLEAN',
    default: true,
    importance: 'HIGH',
    documentation:
      'Write each key or value as an object with its schema and the payload, and expect that when reading.',
    group: 'Schemas',
    order: 0,
    width: 'MEDIUM',
    displayName: 'Enable Schemas',
  },
  {
    name: 'schemas.cache.size',
    type: 'INT',
    default: 1000,
    importance: 'HIGH',
    documentation: 'How many schemas the converter remembers.',
    group: 'Schemas',
    order: 1,
    width: 'MEDIUM',
    displayName: 'Schema Cache Size',
  },
  {
    name: 'schema.content',
    type: 'STRING',
    default: null,
    importance: 'HIGH',
    documentation:
      'A schema in the form of the envelope, for sinks of topics that hold payloads alone. Needs schemas.enable=true.',
    group: 'Schemas',
    order: 2,
    width: 'MEDIUM',
    displayName: 'Schema Content',
  },
  {
    name: 'decimal.format',
    type: 'STRING',
    default: 'BASE64',
    importance: 'LOW',
    documentation: 'How decimals are written: BASE64 (their bytes) or NUMERIC (JSON numbers).',
    group: 'Serialization',
    order: 0,
    width: 'MEDIUM',
    displayName: 'Decimal Format',
    accepts: { values: ['BASE64', 'NUMERIC'], anyCase: true },
    validator: (value) =>
      typeof value === 'string' && ['BASE64', 'NUMERIC'].includes(value.toUpperCase())
        ? null
        : 'String must be one of (case insensitive): NUMERIC, BASE64',
  },
  {
    name: 'replace.null.with.default',
    type: 'BOOLEAN',
    default: true,
    importance: 'LOW',
    documentation: 'Whether a field that is null and has a default is written, and read, as that default.',
    group: 'Serialization',
    order: 1,
    width: 'MEDIUM',
    displayName: 'Replace null with default',
  },
];

export interface JsonSettings {
  readonly schemasEnable: boolean;
  readonly cacheSize: number;
  /** Null: each record has its own. */
  readonly schemaContent: string | null;
  readonly decimalFormat: 'BASE64' | 'NUMERIC';
  readonly replaceNullWithDefault: boolean;
}

export function jsonSettings(config: Readonly<Record<string, string>>): JsonSettings {
  const flag = (key: string): boolean => (config[key] ?? 'true').trim().toLowerCase() !== 'false';
  const size = Number(config['schemas.cache.size'] ?? 1000);
  return {
    schemasEnable: flag('schemas.enable'),
    schemaContent: config['schema.content']?.trim() || null,
    cacheSize: Number.isInteger(size) && size > 0 ? size : 1000,
    decimalFormat: (config['decimal.format'] ?? '').trim().toUpperCase() === 'NUMERIC' ? 'NUMERIC' : 'BASE64',
    replaceNullWithDefault: flag('replace.null.with.default'),
  };
}
