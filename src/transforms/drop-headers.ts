/** `DropHeaders`: removes headers by name. Source: connect-runtime §7.2. */
import type { ConnectorConfig, ConnectRecord, Transformation } from '@millrace/sdk';
import type { FrameworkKey } from '../config/validation-entry';
import { listCheck, Settings } from './settings';

export const DROP_HEADERS_CONFIG: readonly FrameworkKey[] = [
  {
    name: 'headers',
    type: 'LIST',
    importance: 'HIGH',
    documentation: 'Names of the headers to remove, however often a record has them.',
    check: listCheck(),
  },
];

export class DropHeaders implements Transformation {
  private names: ReadonlySet<string> = new Set();

  configure(config: ConnectorConfig): void {
    this.names = new Set(new Settings(DROP_HEADERS_CONFIG, config).list('headers'));
  }

  apply<R extends ConnectRecord>(record: R): R {
    const kept = record.headers?.filter(({ key }) => !this.names.has(key));
    return kept === undefined || kept.length === record.headers?.length ? record : { ...record, headers: kept };
  }
}
