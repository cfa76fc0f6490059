/**
 * Checks server and slot before each START_REPLICATION of a stream, on its connection: since the last one, the slot may
 * have been dropped, created again or read by others, and the server may be another one.
 */
import { RetriableError, type ConnectError } from '@millrace/sdk';
import type { Client } from 'pg';
import { formatLsn, type Lsn } from '../database/lsn';
import type { Session } from '../session';
import { curedByRestart, inRecovery } from './restart-errors';
import { positionAt, reachedLsn, startLsn, type Position } from './position';
import { checkResume, passedBy, passedWarning, slotPosition } from './resume-check';
import { readServerWal } from './server-wal';
import { checkSlot, findSlot, lostSlot, type SlotState } from './slot';
import type { StreamDecoder } from './stream-decoder';
import { isAhead, type ServerWal } from './wal-history';

export class ResumeGuard {
  /** Of the server at the last check. */
  inRecovery = false;
  private hasStreamed = false;
  /** Position of the slot at the first check, which the start has accepted. */
  private accepted: Lsn | null = null;

  constructor(
    private readonly session: Session,
    private readonly decoder: StreamDecoder,
  ) {}

  /**
   * Prepares the decoder and resolves with the position at which the server begins to send. Throws a retriable
   * `PG_IN_RECOVERY` for a server that may have what is missing later, and otherwise why the stream cannot resume.
   */
  async start(client: Client): Promise<Lsn> {
    const { session, decoder } = this;
    const { slot: rules } = session.config;
    const position = decoder.current;
    const wal = await readServerWal(client, position.timeline);
    this.inRecovery = wal.inRecovery;
    const slot = await findSlot(client, rules.name);
    if (rules.copyOf === null) {
      const fromSlot = this.check(position, slot, wal);
      if (fromSlot) decoder.moveTo(positionAt(slotPosition(slot) ?? 0));
    }
    const { timeline } = position;
    if (timeline !== null && timeline.timeline !== wal.timeline)
      session.logger.info(
        `The server is on timeline ${wal.timeline}, and the position ${formatLsn(reachedLsn(position))} is of timeline ${timeline.timeline}. The stream resumes.`,
      );
    decoder.timeline = wal;
    decoder.restart();
    const start = startLsn(decoder.current);
    const at = slotPosition(slot);
    // The server does the same.
    return at !== null && at > start ? at : start;
  }

  /**
   * Call when the server streams from `start`, before anything of it is read. Throws a retriable `PG_SLOT_MOVED` if
   * others have read the slot or created it again since the check. From now on only this stream can.
   */
  async started(start: Lsn, general: Client): Promise<void> {
    this.hasStreamed = true;
    const { name, copyOf } = this.session.config.slot;
    // Only the connection that copies a slot can read the copy.
    if (copyOf !== null) return;
    const slot = await findSlot(general, name);
    const at = slotPosition(slot);
    const why =
      slot?.active !== true
        ? 'is not active on the server that the connector queries, which seems to be another one'
        : at !== null && at > start
          ? `was moved from ${formatLsn(start)} to ${formatLsn(at)} while the stream started`
          : null;
    if (why !== null)
      throw new RetriableError(`Replication slot "${name}" ${why}`, { code: 'PG_SLOT_MOVED', place: { slot: name } });
  }

  /** True if the stream resumes at the slot's position. */
  private check(position: Position, slot: SlotState | null, wal: ServerWal): boolean {
    const { config, logger } = this.session;
    const read = { reached: reachedLsn(position), timeline: position.timeline };
    if (config.slot.checkPosition && isAhead(read, wal))
      throw inRecovery(
        `it has the WAL up to ${formatLsn(wal.end)}, and the stream is at ${formatLsn(read.reached)}`,
        config.slot.name,
      );
    const at = slotPosition(slot);
    if (!this.hasStreamed) this.accepted ??= at;
    const isMoved = this.hasStreamed || slot === null || (at !== null && this.accepted !== null && at > this.accepted);
    try {
      if (slot !== null) {
        checkSlot(slot, config);
        if (slot.lostBecause !== null) throw lostSlot(config, slot.lostBecause);
      }
      const { problem, fromSlot, accepted } = checkResume(position, slot, wal, config.slot, this.hasStreamed);
      if (problem !== null && (isMoved || problem.code === 'PG_WAL_DIVERGED')) throw problem;
      if (isMoved && passedBy(position, slot) !== null)
        logger.warn(passedWarning(position, slot, config.slot.name) as string);
      else if (accepted !== null) logger.warn(accepted.message);
      return fromSlot && isMoved;
    } catch (error) {
      // During a failover, a standby may not have the slot yet.
      if (wal.inRecovery && !this.session.facts.inRecovery)
        throw inRecovery((error as Error).message, config.slot.name);
      throw this.final(error as ConnectError);
    }
  }

  /** A restart takes a new snapshot with `when_needed`, and otherwise may find a later offset. */
  private final(error: ConnectError): ConnectError {
    return this.session.config.snapshot.policy.whenLost || !this.hasStreamed ? curedByRestart(error) : error;
  }
}
