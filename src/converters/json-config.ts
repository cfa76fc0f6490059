/** Settings of JsonConverter and the one all converters share. Sources: connect-runtime §6.2, connect-rest §3.4 (6). */
import type { ConfigKey } from '@millrace/sdk';

/** Set by the runtime: what a converter is used for. */
export const CONVERTER_TYPE: ConfigKey = {
  name: 'converter.type',
  type: 'STRING',
  importance: 'LOW',
  documentation: 'How this converter will be used.',
  validator: (value) =>
    value === 'key' || value === 'value' || value === 'header' ? null : 'String must be one of: key, value, header',
};

export const JSON_CONFIG: readonly ConfigKey[] = [
  CONVERTER_TYPE,
  {
    name: 'schemas.enable',
    type: 'BOOLEAN',
    default: true,
    importance: 'HIGH',
    documentation: 'Include schemas within each of the serialized values and keys.',
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
    documentation: 'The maximum number of schemas that can be cached in this converter instance.',
    group: 'Schemas',
    order: 1,
    width: 'MEDIUM',
    displayName: 'Schema Cache Size',
  },
  {
    name: 'decimal.format',
    type: 'STRING',
    default: 'BASE64',
    importance: 'LOW',
    documentation:
      "Controls which format this converter will serialize decimals in. This value is case insensitive and can be either 'BASE64' (default) or 'NUMERIC'",
    group: 'Serialization',
    order: 0,
    width: 'MEDIUM',
    displayName: 'Decimal Format',
    validator: (value) =>
      typeof value === 'string' && ['BASE64', 'NUMERIC'].includes(value.toUpperCase())
        ? null
        : 'String must be one of (case insensitive): BASE64, NUMERIC',
  },
  {
    name: 'replace.null.with.default',
    type: 'BOOLEAN',
    default: true,
    importance: 'LOW',
    documentation:
      'Whether to replace fields that have a default value and that are null to the default value. When set to true, the default value is used, otherwise null is used.',
    group: 'Schemas',
    order: 2,
    width: 'MEDIUM',
    displayName: 'Replace null with default',
  },
];

export interface JsonSettings {
  readonly schemasEnable: boolean;
  readonly cacheSize: number;
  readonly decimalFormat: 'BASE64' | 'NUMERIC';
  readonly replaceNullWithDefault: boolean;
}

export function jsonSettings(config: Readonly<Record<string, string>>): JsonSettings {
  const flag = (key: string): boolean => (config[key] ?? 'true').trim().toLowerCase() !== 'false';
  const size = Number(config['schemas.cache.size'] ?? 1000);
  return {
    schemasEnable: flag('schemas.enable'),
    cacheSize: Number.isInteger(size) && size > 0 ? size : 1000,
    decimalFormat: (config['decimal.format'] ?? '').trim().toUpperCase() === 'NUMERIC' ? 'NUMERIC' : 'BASE64',
    replaceNullWithDefault: flag('replace.null.with.default'),
  };
}
