/**
 * Which WAL a position lies in. LSNs of two clusters, or of two timelines of one, are not comparable: a restored copy
 * or a promoted standby may lack what a connector has read, and reuses its LSNs and transaction ids. Pure.
 */
import { ConnectError, type SourceOffset } from '@millrace/sdk';
import { formatLsn, parseLsn, type Lsn } from '../database/lsn';

/**
 * The member of offsets for `WalTimeline`, as `<system identifier>/<timeline>`, and `/<LSN>` of the recovery, if there
 * was one. Debezium ignores it.
 */
export const TIMELINE_MEMBER = 'wal_timeline';

export interface WalTimeline {
  /** Of the cluster, from `initdb`; standbys and restored copies share it. */
  readonly systemId: string;
  readonly timeline: number;
  /**
   * Where the recovery ended with which the server started, after a crash or from a backup; null: it started without,
   * or has not ended it. All WAL that it had sent before is recovered, so one that has read more has read another copy.
   */
  readonly recoveredTo: Lsn | null;
}

/** End of a timeline from which the server's own one descends. */
export interface TimelineEnd {
  readonly timeline: number;
  readonly at: Lsn;
}

export interface ServerWal extends WalTimeline {
  /** End of the WAL; of a standby, of the part that it has received. */
  readonly end: Lsn;
  readonly inRecovery: boolean;
  /** Ancestors of the timeline; null: not read. */
  readonly ancestors: readonly TimelineEnd[] | null;
}

export function formatTimeline({ systemId, timeline, recoveredTo }: WalTimeline): string {
  return `${systemId}/${timeline}${recoveredTo === null ? '' : `/${formatLsn(recoveredTo)}`}`;
}

const MEMBER = /^(\d{1,20})\/(\d{1,10})(?:\/([0-9A-F]{1,8}\/[0-9A-F]{1,8}))?$/;

/** Null for offsets of Debezium and of earlier versions, which lack it. */
export function readTimeline(offset: SourceOffset): WalTimeline | null {
  const text = offset[TIMELINE_MEMBER];
  const [, systemId, timeline, at] = typeof text === 'string' ? (MEMBER.exec(text) ?? []) : [];
  if (systemId === undefined) return null;
  return { systemId, timeline: Number(timeline), recoveredTo: at === undefined ? null : parseLsn(at) };
}

/** Content of a timeline history file: lines of timeline, switch point and reason. */
export function parseHistory(text: string): TimelineEnd[] {
  return text.split('\n').flatMap((line) => {
    const [, timeline, at] = /^\s*(\d+)\s+([0-9A-F]+\/[0-9A-F]+)/i.exec(line) ?? [];
    return timeline === undefined ? [] : [{ timeline: Number(timeline), at: parseLsn(at as string) }];
  });
}

/** What was read of the WAL, and in which timeline; null: unknown. */
interface ReadWal {
  readonly reached: Lsn;
  readonly timeline: WalTimeline | null;
}

/**
 * `PG_WAL_DIVERGED` if the WAL of the server does not contain what was read. A standby may still receive it, so only
 * its history counts.
 */
export function divergence({ reached, timeline }: ReadWal, server: ServerWal, slotName: string): ConnectError | null {
  const why = (timeline === null ? null : otherHistory(reached, timeline, server)) ?? beyondEnd(reached, server);
  if (why === null) return null;
  return new ConnectError(
    `The WAL of the server does not contain the stored position ${formatLsn(reached)}: ${why}. The server may lack changes that are in the topics, and the changes that it made instead are not. Take a new snapshot: use snapshot.mode=when_needed, or drop replication slot "${slotName}" and delete the connector's offsets. To stream from the slot's position without one, set offset.mismatch.strategy=trust_slot.`,
    { code: 'PG_WAL_DIVERGED', place: { slot: slotName } },
  );
}

/** The server may still receive the position. */
export function isAhead({ reached }: ReadWal, { inRecovery, end }: ServerWal): boolean {
  return inRecovery && reached > end;
}

function otherHistory(reached: Lsn, stored: WalTimeline, server: ServerWal): string | null {
  if (stored.systemId !== server.systemId)
    return `it is another cluster (system identifier ${server.systemId}, and the position is of ${stored.systemId})`;
  if (stored.timeline === server.timeline) return otherCopy(reached, stored, server);
  const { ancestors } = server;
  // Without the history file, only the end of the WAL is known.
  if (ancestors === null && stored.timeline < server.timeline) return null;
  const end = ancestors?.find(({ timeline }) => timeline === stored.timeline);
  if (end === undefined)
    return `its timeline ${server.timeline} does not descend from timeline ${stored.timeline} of the position (a restored copy, or an old primary)`;
  if (reached <= end.at) return null;
  return `it left timeline ${stored.timeline} at ${formatLsn(end.at)} (a failover to a standby that lagged behind, or a point-in-time recovery)`;
}

function otherCopy(reached: Lsn, stored: WalTimeline, { recoveredTo, inRecovery }: ServerWal): string | null {
  if (inRecovery || recoveredTo === null || recoveredTo === stored.recoveredTo || reached <= recoveredTo) return null;
  return `it started with the WAL up to ${formatLsn(recoveredTo)} (a restored copy), and has reused the positions after that`;
}

function beyondEnd(reached: Lsn, { end, inRecovery }: ServerWal): string | null {
  if (inRecovery || reached <= end) return null;
  return `it ends at ${formatLsn(end)} (a restored copy, or a failover to a standby that lagged behind)`;
}
