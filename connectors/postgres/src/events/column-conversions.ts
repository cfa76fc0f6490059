/** Columns that plugins publish in a form of their own (`converters`). */
import {
  ConfigError,
  type ColumnConverter,
  type ColumnConverterPlugin,
  type ConnectorConfig,
  type Schema,
  type SourceColumn,
} from '@millrace/sdk';
import type { ColumnConverterConfig } from '../config/column-converter-config';
import { utf8, type ValueType } from '../values/value-type';

export class ColumnConversions {
  private constructor(
    private readonly converters: readonly { readonly alias: string; readonly converter: ColumnConverter }[],
    private readonly placeholder: string,
  ) {}

  /**
   * @param load finds the plugin of a name
   * @param placeholder published for texts that the server did not send
   * @throws ConfigError for an unknown plugin or settings that it rejects
   */
  static async load(
    configs: readonly ColumnConverterConfig[],
    load: (name: string) => Promise<ColumnConverterPlugin>,
    placeholder: string,
  ): Promise<ColumnConversions> {
    const converters: { alias: string; converter: ColumnConverter }[] = [];
    try {
      for (const { alias, type, settings } of configs) {
        const converter = (await load(type)).create();
        converters.push({ alias, converter });
        configure(converter, alias, settings);
      }
    } catch (error) {
      for (const { converter } of converters) converter.close?.();
      throw error;
    }
    return new ColumnConversions(converters, placeholder);
  }

  /** The form that the first converter gives to the column; null if none does. */
  of(column: SourceColumn): ValueType | null {
    for (const { alias, converter } of this.converters) {
      let conversion;
      try {
        conversion = converter.conversion(column);
      } catch (cause) {
        throw new ConfigError(
          `The column converter "${alias}" fails for column "${column.name}" of table ${column.table}: ${(cause as Error).message}`,
          { code: 'PG_CONFIG', place: { table: column.table, column: column.name }, cause },
        );
      }
      // Plugins in JavaScript may return nothing.
      if (conversion == null) continue;
      const { schema } = conversion;
      const convert = conversion.convert.bind(conversion);
      return {
        schema,
        decode: (bytes, start, end) => publishable(convert(utf8(bytes, start, end))),
        unavailable: schema.type === 'STRING' ? this.placeholder : null,
        fallback: zeroOf(schema),
        defaultText: null,
      };
    }
    return null;
  }

  close(): void {
    for (const { converter } of this.converters) converter.close?.();
  }
}

function configure(converter: ColumnConverter, alias: string, settings: ConnectorConfig): void {
  try {
    converter.configure(settings);
  } catch (cause) {
    throw new ConfigError(`The column converter "${alias}" rejects its settings: ${(cause as Error).message}`, {
      code: 'PG_CONFIG',
      place: { key: `${alias}.type` },
      cause,
    });
  }
}

/** Undefined and symbols have a meaning of their own among decoded values; a promise is not awaited. */
function publishable(value: unknown): unknown {
  if (value === undefined) throw new TypeError('its column converter returns undefined');
  if (typeof value === 'symbol') throw new TypeError('its column converter returns a symbol');
  if (value instanceof Promise) {
    value.catch(() => {});
    throw new TypeError('its column converter returns a promise, and values are converted synchronously');
  }
  return value;
}

const DECIMAL = 'org.apache.kafka.connect.data.Decimal';
const DATES = new Set(['Date', 'Time', 'Timestamp'].map((name) => `org.apache.kafka.connect.data.${name}`));

/** Published where a required column has no value. */
function zeroOf(schema: Schema): unknown {
  if (schema.optional) return null;
  if (schema.name === DECIMAL) return { unscaled: 0n, scale: Number(schema.parameters?.scale ?? 0) };
  if (DATES.has(schema.name ?? '')) return new Date(0);
  switch (schema.type) {
    case 'STRING':
      return '';
    case 'BOOLEAN':
      return false;
    case 'BYTES':
      return Buffer.alloc(0);
    case 'ARRAY':
      return [];
    case 'MAP':
      return new Map();
    case 'STRUCT':
      return Object.fromEntries((schema.fields ?? []).map((field) => [field.name, zeroOf(field.schema)]));
    default:
      return 0;
  }
}
