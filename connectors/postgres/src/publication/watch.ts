/**
 * Compares the publication with the captured tables while the task runs: a table that was created again, renamed or
 * added is not in a publication of single tables, and the server sends nothing of it, without an error.
 */
import { monotonicNow, type Logger } from '@millrace/sdk';
import type { Client } from 'pg';
import type { PostgresConfig } from '../config/postgres-config';
import { findTables, qualified, type PublishableTable } from '../database/catalog';
import { errorText, isTransient } from '../database/errors';
import type { GeneralConnection } from '../database/general-connection';
import { insertedLsn } from '../database/inserted-lsn';
import { formatLsn } from '../database/lsn';
import type { ServerFacts } from '../database/server';
import { changesSince, comparison, type Changes, type Comparison } from './comparison';
import {
  absentLine,
  addedLine,
  missingLine,
  notAddedLine,
  renamedLine,
  replacedLine,
  returnedLine,
  unclearLine,
  unloggedLine,
  withheldLine,
} from './lines';
import { addition, changePublication, planPublication, publishable } from './plan';
import {
  findPublication,
  lastChange,
  OPERATIONS,
  UNREAD,
  type PublicationMember,
  type PublicationState,
} from './state';

/** How long a statement may wait for locks of other sessions: other users of the connection wait as long. */
export const LOCK_MS = 1000;

interface PublicationWatchOptions {
  readonly config: PostgresConfig;
  readonly facts: ServerFacts;
  readonly general: Pick<GeneralConnection, 'get'>;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Prepares tables that the watch is about to publish. */
  readonly prepare: (client: Client, tables: readonly PublishableTable[]) => Promise<void>;
}

export class PublicationWatch {
  private nextAt = Infinity;
  private running: Promise<void> | null = null;
  /** As of the last comparison: see `lastChange`. */
  private mark = '';
  /** Null: there was no publication. */
  private last: Comparison | null = null;
  /** Tables that were in the publication, by name: another table of the name is restricted as they were. */
  private readonly members = new Map<string, PublicationMember>();
  private readonly prepared = new Set<number>();
  /** Line about something that is still so. */
  private said = '';

  constructor(private readonly options: PublicationWatchOptions) {}

  /** @param state what the start has found and reported */
  begin(state: PublicationState, captured: readonly PublishableTable[]): void {
    this.last = comparison(state, publishable(captured, this.options.facts.version));
    this.remember(state);
    this.schedule();
  }

  /** Starts a comparison when one is due. Cheap otherwise, so call it on each poll. */
  poll(): void {
    if (this.running !== null || monotonicNow() < this.nextAt) return;
    this.running = this.check().finally(() => {
      this.running = null;
      this.schedule();
    });
  }

  /** Makes the next `poll` compare, because the stream has shown DDL. */
  due(): void {
    this.nextAt = 0;
  }

  private schedule(): void {
    this.nextAt = monotonicNow() + this.options.config.publication.checkIntervalMs;
  }

  /** Never rejects. */
  private async check(): Promise<void> {
    const { general, config, facts, signal } = this.options;
    const { name } = config.publication;
    try {
      const client = await general.get();
      const mark = await lastChange(client, name, facts.version);
      if (mark === this.mark) return;
      const captured = publishable(await findTables(client, config.filters), facts.version);
      const state = await findPublication(client, name, facts.version);
      const isDone =
        state === null ? await this.missing(client, captured) : await this.compare(client, state, captured);
      // Otherwise the next check tries again.
      if (isDone) this.mark = mark;
    } catch (error) {
      // The stream reports a lost connection.
      if (!signal.aborted && !isTransient(error))
        this.say(`Comparing publication "${name}" with the captured tables failed, trying again: ${errorText(error)}`);
    }
  }

  /** Creates the publication again, as a start would. */
  private async missing(client: Client, captured: readonly PublishableTable[]): Promise<boolean> {
    const { config, facts, logger } = this.options;
    const { name, mode } = config.publication;
    this.last = null;
    const mayCreate = mode !== 'disabled' && !facts.inRecovery;
    const { widens } = mayCreate
      ? planPublication(config, null, captured.filter(isLogged), facts.version)
      : { widens: null };
    if (widens !== null) await changePublication(client, config, widens, LOCK_MS);
    logger.warn(missingLine(name, widens));
    return true;
  }

  private async compare(
    client: Client,
    state: PublicationState,
    captured: readonly PublishableTable[],
  ): Promise<boolean> {
    const { config, facts, logger } = this.options;
    const now = comparison(state, captured);
    const before = this.last ?? NONE;
    const changes = changesSince(before, now);
    await this.report(client, changes, state);
    this.last = now;
    this.remember(state);
    const unlogged = changes.left.filter((table) => !isLogged(table));
    if (unlogged.length > 0) logger.warn(unloggedLine(unlogged));
    if (config.publication.mode === 'filtered' && !facts.inRecovery) {
      if (!(await this.add(client, [...now.absent.values()].filter(isLogged), captured))) return false;
    } else this.reportLeft(changes.left.filter(isLogged), before);
    this.said = '';
    // The text of a filter is read when its table is no longer locked.
    return state.members.every(({ rowFilter }) => rowFilter !== UNREAD);
  }

  private remember({ members }: PublicationState): void {
    for (const member of members) {
      const name = qualified(member);
      const before = this.members.get(name);
      const isKnown = member.rowFilter === UNREAD && before?.id === member.id && before.rowFilter !== null;
      if (!isKnown) this.members.set(name, member);
    }
  }

  private async report(
    client: Client,
    { withheld, returned, replaced, renamed }: Changes,
    { viaRoot }: PublicationState,
  ): Promise<void> {
    const { config, logger } = this.options;
    const { name } = config.publication;
    const line = withheldLine(name, withheld, config.skipped);
    if (line !== null) logger.warn(line);
    if (returned.length > 0) logger.warn(returnedLine(name, returned, formatLsn(await insertedLsn(client))));
    if (replaced.length > 0) logger.warn(replacedLine(name, replaced));
    if (renamed.length > 0) logger.warn(renamedLine(name, renamed, viaRoot));
  }

  private reportLeft(left: readonly PublishableTable[], before: Comparison): void {
    const { config, logger } = this.options;
    const { name } = config.publication;
    // Without an include list, the publication may be what selects the tables.
    const isWanted = (table: PublishableTable): boolean =>
      config.filters.tableInclude !== null || before.published.has(qualified(table));
    const [lost, other] = [left.filter(isWanted), left.filter((table) => !isWanted(table))];
    if (lost.length > 0) logger.warn(absentLine(name, lost));
    if (other.length > 0) logger.info(absentLine(name, other));
  }

  /** Adds tables to a filtered publication. False: the server refused it. */
  private async add(
    client: Client,
    tables: readonly PublishableTable[],
    captured: readonly PublishableTable[],
  ): Promise<boolean> {
    if (tables.length === 0) return true;
    const { config, facts, logger, prepare } = this.options;
    const { name } = config.publication;
    const unclear = tables.filter((table) => this.members.get(qualified(table))?.rowFilter === UNREAD);
    if (unclear.length > 0) {
      this.say(unclearLine(name, unclear));
      const others = tables.filter((table) => !unclear.includes(table));
      if (others.length > 0) await this.add(client, others, captured);
      return false;
    }
    // Tried once for each table: it reports what it cannot do.
    const unprepared = tables.filter(({ oid }) => !this.prepared.has(oid));
    for (const { oid } of unprepared) this.prepared.add(oid);
    if (unprepared.length > 0) await prepare(client, unprepared);
    const statement = addition(name, tables, this.members);
    try {
      await changePublication(client, config, statement, LOCK_MS);
    } catch (error) {
      this.say(notAddedLine(name, tables, errorText(error)));
      return false;
    }
    logger.warn(addedLine(name, tables, statement, formatLsn(await insertedLsn(client))));
    const state = await findPublication(client, name, facts.version);
    this.last = state === null ? null : comparison(state, captured);
    return true;
  }

  /** Once while it stays so. */
  private say(line: string): void {
    if (line !== this.said) this.options.logger.warn(line);
    this.said = line;
  }
}

const NONE: Comparison = {
  operations: new Set(Object.values(OPERATIONS)),
  absent: new Map(),
  renamed: new Map(),
  published: new Map(),
};

function isLogged({ unlogged }: PublishableTable): boolean {
  return !unlogged;
}
