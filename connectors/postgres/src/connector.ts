/** Entry point of the plugin: validation, offset checks, task creation. */
import {
  ConnectError,
  type ConfigProblem,
  type ConnectorConfig,
  type ConnectorSupport,
  type OffsetChange,
  type SourceConnector,
  type SourceOffset,
  type SourcePartition,
} from '@millrace/sdk';
import { checkConfig } from './config/check';
import { KEY } from './config/definitions';
import { parseConfig, type PostgresConfig } from './config/postgres-config';
import { probe } from './startup/probe';
import { diagnose } from './diagnosis/diagnose';
import { shownKeys } from './config/shown-keys';
import { offsetLsn } from './database/lsn';
import { readCounts } from './events/transaction-counts';
import { LAYOUT } from './startup/slot-layout';
import { PostgresSourceTask } from './task';

async function validate(config: ConnectorConfig): Promise<readonly ConfigProblem[]> {
  const checked = checkConfig(config);
  if (checked.problems.length > 0) return checked.problems;
  return await probe(parseConfig(config), (key) => checked.given.get(key) ?? key);
}

/**
 * Throws ConnectError for invalid positions and unreadable counts; any offset may be removed, except that the slot
 * layout goes only with all others: without it, a start with another layout is not detected. Returns false because a
 * changed offset does not move the slot: the server keeps what it has confirmed.
 */
function alterOffsets(
  _config: ConnectorConfig,
  offsets: readonly (readonly [SourcePartition | null, SourceOffset | null])[],
  change: OffsetChange,
): boolean {
  for (const [partition, offset] of offsets) {
    if (partition?.slot === LAYOUT && change === 'alter') throw layoutChange();
    if (offset === null) continue;
    if (typeof partition?.server !== 'string')
      throw new ConnectError('The partition of a PostgreSQL connector is {"server": "<topic.prefix>"}.', {
        code: 'PG_OFFSET',
      });
    for (const name of ['lsn', 'lsn_proc', 'lsn_commit']) {
      const value = offset[name];
      if (value == null) continue;
      const lsn = offsetLsn(value);
      if (lsn === null || lsn < 0)
        throw new ConnectError(
          `The offset member "${name}" must be an integer of at least 0, but is ${String(value)}.`,
          {
            code: 'PG_OFFSET',
          },
        );
    }
    readCounts(offset);
  }
  return false;
}

function layoutChange(): ConnectError {
  return new ConnectError(
    'The stored slot layout cannot be altered or removed alone. To change it, reset all offsets of the connector.',
    { code: 'PG_OFFSET' },
  );
}

/**
 * Whether the connector delivers exactly once when its worker does. Unsupported: a slot that is dropped loses changes;
 * snapshots on every start, or without a stream that has the changes made in between, repeat rows; and the rows of a
 * custom SELECT have no position to resume from.
 */
function exactlyOnceSupport({ slot, snapshot }: PostgresConfig): ConnectorSupport {
  const { initially, everyStart, stream } = snapshot.policy;
  if (slot.dropOnStop || everyStart || !stream) return 'unsupported';
  return initially && snapshot.overrides.size > 0 ? 'unsupported' : 'supported';
}

export const postgresConnector: SourceConnector = {
  type: 'source',
  config: shownKeys(),
  validate,
  warnings: (config) => checkConfig(config).warnings,
  checkKeys: (config) => checkConfig(config).problems,
  validatesValues: true,
  diagnose,
  // No `create`: each slot is one stream and one task, and all tasks have the connector's config.
  taskCountKey: KEY.slotCount,
  createTask: () => new PostgresSourceTask(),
  alterOffsets,
  // A config with problems is refused for those.
  exactlyOnceSupport: (config) =>
    checkConfig(config).problems.length > 0 ? 'supported' : exactlyOnceSupport(parseConfig(config)),
};
