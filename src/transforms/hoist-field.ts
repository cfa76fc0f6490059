/** `HoistField`: wraps the key or value in a struct or map of one field. Source: connect-runtime §7.2. */
import type { ConfigKey, ConnectorConfig, ConnectRecord, Transformation } from '@millrace/sdk';
import { Settings } from './settings';
import { requireFit } from './shapes';
import type { Side } from './side';
import { perSchema, structOf } from './struct-schemas';

export const HOIST_FIELD_CONFIG: readonly ConfigKey[] = [
  { name: 'field', type: 'STRING', importance: 'MEDIUM', documentation: 'Name of the one field.' },
];

export class HoistField implements Transformation {
  private field = '';

  constructor(private readonly side: Side) {}

  configure(config: ConnectorConfig): void {
    this.field = new Settings(HOIST_FIELD_CONFIG, config).text('field');
  }

  apply<R extends ConnectRecord>(record: R): R {
    const schema = this.side.schemaOf(record);
    const value = this.side.valueOf(record) ?? null;
    if (schema === null) return this.side.replaced(record, null, { [this.field]: value });
    const wrapped = this.wrapped(schema);
    requireFit(this.field, schema, value);
    return this.side.replaced(record, wrapped, { [this.field]: value });
  }

  private readonly wrapped = perSchema((schema) => structOf([[this.field, schema]]));
}
