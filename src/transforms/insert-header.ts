/** `InsertHeader`: adds the same header to every record. Source: connect-runtime §7.2. */
import type { ConfigKey, ConnectorConfig, ConnectRecord, Header, ParsedValue, Transformation } from '@millrace/sdk';
import { parseValue } from '../values/parse-value';
import { Settings } from './settings';

const notNull = (value: ParsedValue): string | null => (value === null ? 'entry must be non null' : null);

export const INSERT_HEADER_CONFIG: readonly ConfigKey[] = [
  {
    name: 'header',
    type: 'STRING',
    importance: 'HIGH',
    documentation: 'Name of the header.',
    validator: notNull,
  },
  {
    name: 'value.literal',
    type: 'STRING',
    importance: 'HIGH',
    documentation: 'Its value as text, read as header texts are: 12 is a number, true a boolean.',
    validator: notNull,
  },
];

export class InsertHeader implements Transformation {
  readonly takesRaw = true;
  private header: Header = { key: '', schema: null, value: null };

  configure(config: ConnectorConfig): void {
    const settings = new Settings(INSERT_HEADER_CONFIG, config);
    this.header = { key: settings.text('header'), ...parseValue(settings.text('value.literal')) };
  }

  apply<R extends ConnectRecord>(record: R): R {
    return { ...record, headers: [...(record.headers ?? []), this.header] };
  }
}
