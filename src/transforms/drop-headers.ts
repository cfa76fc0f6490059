/** `DropHeaders`: removes headers by name. Source: connect-runtime §7.2. */
import type { ConfigKey, ConnectorConfig, ConnectRecord, Transformation } from '@millrace/sdk';
import { namesKey, Settings } from './settings';

export const DROP_HEADERS_CONFIG: readonly ConfigKey[] = [
  namesKey({
    name: 'headers',
    importance: 'HIGH',
    documentation: 'Names of the headers to remove, however often a record has them.',
  }),
];

export class DropHeaders implements Transformation {
  readonly takesRaw = true;
  private names: ReadonlySet<string> = new Set();

  configure(config: ConnectorConfig): void {
    this.names = new Set(new Settings(DROP_HEADERS_CONFIG, config).list('headers'));
  }

  apply<R extends ConnectRecord>(record: R): R {
    const kept = record.headers?.filter(({ key }) => !this.names.has(key));
    return kept === undefined || kept.length === record.headers?.length ? record : { ...record, headers: kept };
  }
}
