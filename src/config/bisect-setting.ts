/**
 * `errors.bisect`: whether parts of a batch that `put` rejects are put again to find the records that fail. Millrace
 * only: Java fails the task.
 */
import type { ConnectorConfig } from '@millrace/sdk';

export const BISECT = 'errors.bisect';

/** (Default: true) */
export function bisectsBatches(connector: ConnectorConfig): boolean {
  return (connector[BISECT]?.trim() || 'true').toLowerCase() === 'true';
}
