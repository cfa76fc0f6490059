/** `SetSchemaMetadata`: sets the name or version of a struct's schema. Source: connect-runtime §7.2. */
import {
  setMember,
  type ConfigKey,
  type ConnectorConfig,
  type ConnectRecord,
  type Schema,
  type Transformation,
} from '@millrace/sdk';
import { configError, dataError } from './failures';
import { REPLACE_NULL, Settings } from './settings';
import { copiedValue, isNull, requireStruct } from './shapes';
import type { Side } from './side';
import { fieldsOf, perSchema } from './struct-schemas';

export const SET_SCHEMA_METADATA_CONFIG: readonly ConfigKey[] = [
  { name: 'schema.name', type: 'STRING', default: null, importance: 'HIGH', documentation: "The schema's new name." },
  {
    name: 'schema.version',
    type: 'INT',
    default: null,
    importance: 'HIGH',
    documentation: "The schema's new version.",
  },
  REPLACE_NULL,
];

export class SetSchemaMetadata implements Transformation {
  private name: string | null = null;
  private version: number | null = null;
  private replaceNull = true;

  constructor(private readonly side: Side) {}

  configure(config: ConnectorConfig): void {
    const settings = new Settings(SET_SCHEMA_METADATA_CONFIG, config);
    this.name = settings.optionalText('schema.name');
    this.version = settings.integer('schema.version');
    this.replaceNull = settings.flag('replace.null.with.default');
    if (this.name === null && this.version === null) throw configError('Neither schema name nor version configured');
  }

  apply<R extends ConnectRecord>(record: R): R {
    const schema = this.side.schemaOf(record);
    const value = this.side.valueOf(record);
    if (schema === null && isNull(value)) return record;
    if (schema === null) throw dataError('Schema required for [updating schema metadata]');
    return this.side.replaced(record, this.renamed(schema), this.filled(schema, value));
  }

  private filled(schema: Schema, value: unknown): unknown {
    const fields = fieldsOf(schema);
    if (isNull(value)) return null;
    const struct = requireStruct(schema, value, 'updating schema metadata');
    const updated: Record<string, unknown> = {};
    for (const field of fields) setMember(updated, field.name, copiedValue(struct, field, this.replaceNull));
    return updated;
  }

  private readonly renamed = perSchema((schema): Schema =>
    Object.freeze({ ...schema, name: this.name ?? schema.name, version: this.version ?? schema.version }),
  );
}
