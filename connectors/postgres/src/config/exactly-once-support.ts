/** Whether a connector delivers exactly once when its worker does. Pure. */
import type { ConnectorSupport } from '@millrace/sdk';
import type { PostgresConfig } from './postgres-config';

/**
 * Unsupported: a slot that is dropped loses changes; snapshots on every start, or without a stream that has the changes
 * made in between, repeat rows; and the rows of a custom SELECT have no position to resume from.
 */
export function exactlyOnceSupport({ slot, snapshot }: PostgresConfig): ConnectorSupport {
  const { initially, everyStart, stream } = snapshot.policy;
  if (slot.dropOnStop || everyStart || !stream) return 'unsupported';
  return initially && snapshot.overrides.size > 0 ? 'unsupported' : 'supported';
}
