/** Snapshot and replication slot of a PostgreSQL source. */
import type { JSX } from 'preact';
import type { PostgresDetails, PostgresTable } from '../../worker-api';
import { formatBytes, formatNumberOf, UNKNOWN } from '../../parts/format';
import { Notice } from '../../parts/placeholders';
import { printable } from '../../parts/printable';
import { Name, Text } from '../../parts/text';
import { Fact } from './facts';

export function PostgresSection({ postgres }: { readonly postgres: PostgresDetails }): JSX.Element {
  return (
    <>
      {postgres.snapshot.state !== 'none' && <Snapshot snapshot={postgres.snapshot} />}
      {postgres.slot && <Slot slot={postgres.slot} />}
    </>
  );
}

const STATES = { none: 'none', running: 'running', completed: 'completed', aborted: 'aborted' } as const;

function Snapshot({ snapshot }: { readonly snapshot: PostgresDetails['snapshot'] }): JSX.Element {
  const { state, tables, remainingTables } = snapshot;
  const rest = remainingTables ? `, ${formatNumberOf(remainingTables, 'table')} left` : '';
  return (
    <section class="section" aria-labelledby="snapshot">
      <h2 id="snapshot">
        Snapshot <span class="muted">{`${STATES[state]}${rest}`}</span>
      </h2>
      {state === 'aborted' && (
        <Notice kind="degraded" title="The snapshot did not finish">
          The connector reads the tables again when it is restarted, unless "snapshot.mode" says otherwise.
        </Notice>
      )}
      {tables.length > 0 && (
        <ul class="snapshot-tables">
          {tables.map((table) => (
            <TableProgress key={table.table} table={table} isOver={state !== 'running'} />
          ))}
        </ul>
      )}
    </section>
  );
}

function TableProgress({ table, isOver }: { readonly table: PostgresTable; readonly isOver: boolean }): JSX.Element {
  const { table: name, percent, rowsScanned } = table;
  const rows = rowsScanned === null ? '' : formatNumberOf(rowsScanned, 'row');
  const share = percent === null ? (isOver ? 'done' : 'waiting') : `${Math.floor(percent)} %`;
  return (
    <li>
      <Name>{name}</Name>
      {percent === null && !isOver ? (
        <span />
      ) : (
        <progress max={100} value={percent ?? 100} aria-label={`Snapshot of ${printable(name)}`} />
      )}
      <span class="number muted">{[share, rows].filter((text) => text !== '').join(', ')}</span>
    </li>
  );
}

type SlotDetails = NonNullable<PostgresDetails['slot']>;

function Slot({ slot }: { readonly slot: SlotDetails }): JSX.Element {
  const warning = warningOf(slot);
  return (
    <section class="section" aria-labelledby="slot">
      <h2 id="slot">Replication slot</h2>
      {warning && (
        <Notice kind={warning.kind} title={warning.title}>
          {warning.text}
        </Notice>
      )}
      <dl class="fact-list">
        <Fact label="Name">
          <Name>{slot.name}</Name>
        </Fact>
        <Fact label="In use">{slot.isActive === null ? UNKNOWN : slot.isActive ? 'yes' : 'no'}</Fact>
        <Fact label="WAL status">{slot.walStatus === null ? UNKNOWN : <Text>{slot.walStatus}</Text>}</Fact>
        <Fact label="Not confirmed">{formatBytes(slot.lagBytes)}</Fact>
        <Fact label="Retained WAL">{formatBytes(slot.retainedWalBytes)}</Fact>
        <Fact label="Until it is lost">
          {slot.safeWalBytes === null ? 'no limit known' : formatBytes(slot.safeWalBytes)}
        </Fact>
        <Fact label="Confirmed LSN">
          <span class="code">{slot.confirmedLsn === null ? UNKNOWN : printable(slot.confirmedLsn)}</span>
        </Fact>
      </dl>
    </section>
  );
}

interface Warning {
  readonly kind: 'failed' | 'degraded';
  readonly title: string;
  readonly text: string;
}

/** Less than this is left before PostgreSQL may drop WAL that the slot needs. */
const LITTLE_WAL = 1024 ** 3;

function warningOf({ walStatus, safeWalBytes, isActive, retainedWalBytes }: SlotDetails): Warning | null {
  if (walStatus === 'lost')
    return {
      kind: 'failed',
      title: 'The slot is lost',
      text: 'PostgreSQL has removed WAL that the connector has not read: changes are missing. Drop the slot, reset the offsets, and take a new snapshot.',
    };
  if (walStatus === 'unreserved' || (safeWalBytes !== null && safeWalBytes < LITTLE_WAL))
    return {
      kind: 'failed',
      title: 'PostgreSQL may soon remove WAL that the connector needs',
      text: `${safeWalBytes === null ? 'Little' : formatBytes(Math.max(0, safeWalBytes))} can still be written before changes are lost. Let the connector run, or raise "max_slot_wal_keep_size".`,
    };
  if (isActive === false && (retainedWalBytes ?? 0) > 0)
    return {
      kind: 'degraded',
      title: 'Nothing reads the slot',
      text: `PostgreSQL keeps its WAL, ${formatBytes(retainedWalBytes)} now, until the connector runs again or the slot is dropped.`,
    };
  return null;
}
