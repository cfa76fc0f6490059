import type { ConfigKey, ConnectorConfig } from './config-def';
import type { ConnectValue } from './record';
import type { Schema } from './schema';

/** A column of a captured table, as the database declares it. */
export interface SourceColumn {
  /** Qualified name of the table, e.g. `public.todos`. */
  readonly table: string;
  readonly name: string;
  /** Name of the type in the database; a domain's own name. */
  readonly typeName: string;
  /** Declared length or precision; null for none. */
  readonly length: number | null;
  readonly scale: number | null;
  /** The column accepts NULL. */
  readonly optional: boolean;
  /** Default expression; null for none. */
  readonly default: string | null;
}

export interface ColumnConversion {
  /** Of the field. Columns that accept NULL make it optional. */
  readonly schema: Schema;
  /**
   * Returns the value for `schema`. NULL stays null without a call. An error is that of a value that cannot be
   * converted.
   * @param text the value as the database prints it
   */
  convert(text: string): ConnectValue;
}

/**
 * Chooses how a change-capture source publishes columns. Each task has its own instance and calls it from one thread.
 * @example
 * const isbn = { schema: schema('STRING'), convert: (text) => text.replaceAll('-', '') };
 * { configure: () => {}, conversion: ({ typeName }) => (typeName === 'isbn' ? isbn : null) }
 */
export interface ColumnConverter {
  /** Settings without the prefix of the converter's alias. Throws ConfigError. */
  configure(config: ConnectorConfig): void;
  /** Called once per definition of a table. Null: the column is published as without the converter. */
  conversion(column: SourceColumn): ColumnConversion | null;
  /** Called when the task stops. */
  close?(): void;
}

/** The export of a column converter plugin. */
export interface ColumnConverterPlugin {
  readonly type: 'column_converter';
  readonly config: readonly ConfigKey[];
  create(): ColumnConverter;
}
