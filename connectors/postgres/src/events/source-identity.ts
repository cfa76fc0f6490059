import type { PostgresConfig } from '../config/postgres-config';
import type { SourceIdentity } from './event-layout';

export function sourceIdentity({ events, prefix, connection }: PostgresConfig): SourceIdentity {
  return { version: events.sourceVersion, name: prefix, db: connection.database };
}
