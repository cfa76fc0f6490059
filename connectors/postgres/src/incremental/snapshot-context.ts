/**
 * What an incremental snapshot has done and has to do. It is part of every offset while the snapshot runs, in
 * Debezium's form (cdc-postgres §6.4), so that either continues at the other's chunk.
 */
import type { SourceOffset } from '@millrace/sdk';
import type { KeyValues } from '../database/key-range';
import { MAX_LIST_BYTES } from '../events/offset-limits';
import { MARKED_CHANNELS, type MarkedChannel } from '../signals/signal-mark';
import { decodeKey, encodeKey, type KeyBound } from './key-codec';
import type { KeyType } from './key-type';

/** A table to read. */
export interface Collection {
  /** `schema.table`. */
  readonly table: string;
  /** SQL; null: every row. */
  readonly condition: string | null;
  readonly surrogateKey: string | null;
  /** Id of the signal that asked for it; null: not known. */
  readonly correlationId: string | null;
}

const PREFIX = 'incremental_snapshot_';
const COLLECTIONS = `${PREFIX}collections`;
const MAXIMUM_KEY = `${PREFIX}maximum_key`;
const LAST_KEY = `${PREFIX}primary_key`;
const KEY_ORDER = `${PREFIX}key_definition`;
const CORRELATION_ID = `${PREFIX}correlation_id`;
const ID = `${COLLECTIONS}_id`;
const CONDITION = `${COLLECTIONS}_additional_condition`;
const SURROGATE_KEY = `${COLLECTIONS}_surrogate_key`;
const COLLECTION_CORRELATION_ID = `${COLLECTIONS}_correlation_id`;
const MARK = `${PREFIX}signal_`;

/** Characters of the list of tables in an offset. */
const MAX_LENGTH = 4 * 1024 * 1024;

export class SnapshotContext {
  /** The first one is being read. */
  queue: Collection[] = [];
  /** Tables of the queue that leave it when the open chunk has ended. Offsets are without them. */
  readonly stopping = new Set<Collection>();
  /** Id of the signal that asked for the last tables. */
  correlationId: string | null = null;
  /** Key of the last row of the last chunk; null: the table has just begun. */
  lastKey: KeyValues | null = null;
  /** Rows with larger keys are not read: they are in the stream. Null: not determined yet. */
  maximumKey: KeyValues | null = null;
  /** Types of the key columns. Null: not known yet; the keys are those of the offset. */
  keyTypes: readonly KeyType[] | null = null;
  /** What the keys mean, see `keyOrder`. Null: not known. */
  keyOrder: string | null = null;
  /** How far the channels are applied: they also outlive the snapshot. */
  readonly marks = new Map<MarkedChannel, string>();
  /** Members of the offset that the context was restored from. */
  private restored: SourceOffset = {};

  get current(): Collection | null {
    return this.queue[0] ?? null;
  }

  get tables(): string {
    return this.queue.map(({ table }) => table).join(',');
  }

  /** Ends the current table. */
  nextTable(): void {
    this.queue.shift();
    this.restartTable();
  }

  restartTable(): void {
    this.lastKey = null;
    this.maximumKey = null;
    this.keyOrder = null;
  }

  /**
   * Call before the keys are compared with those of the table. False: they are of another table or of other columns, so
   * the table is read from its beginning.
   */
  follow(key: readonly string[], types: readonly KeyType[], order: string): boolean {
    const { lastKey, maximumKey, keyOrder } = this;
    const isOf = [lastKey, maximumKey].every((one) => one === null || one.length === key.length);
    const hasBegun = lastKey !== null || maximumKey !== null;
    const isSame = !hasBegun || (isOf && (keyOrder === null || keyOrder === order));
    if (!isSame) this.restartTable();
    this.keyTypes = types;
    this.keyOrder = order;
    return isSame;
  }

  /** Takes the tables that are stopping from the queue, and returns them. */
  stopTables(): Collection[] {
    const { queue, stopping } = this;
    this.queue = queue.filter((one) => !stopping.has(one));
    const stopped = queue.filter((one) => stopping.has(one));
    if (stopped.includes(queue[0] as Collection)) this.restartTable();
    stopping.clear();
    return stopped;
  }

  /** Members of every offset; null: there are none. */
  members(): SourceOffset | null {
    const { stopping, correlationId } = this;
    const queue = stopping.size === 0 ? this.queue : this.queue.filter((one) => !stopping.has(one));
    const isCurrent = queue[0] === this.queue[0];
    const [lastKey, maximumKey] = isCurrent ? [this.lastKey, this.maximumKey] : [null, null];
    const keyOrder = isCurrent ? this.keyOrder : null;
    const marks = Object.fromEntries([...this.marks].map(([channel, mark]) => [MARK + channel, mark]));
    if (queue.length === 0) return this.marks.size === 0 ? null : marks;
    return {
      ...marks,
      [COLLECTIONS]: listOf(queue, correlationId),
      ...(correlationId === null ? {} : { [CORRELATION_ID]: correlationId }),
      [MAXIMUM_KEY]: this.encoded(MAXIMUM_KEY, maximumKey),
      [LAST_KEY]: this.encoded(LAST_KEY, lastKey),
      ...(keyOrder === null ? {} : { [KEY_ORDER]: keyOrder }),
    };
  }

  private encoded(member: string, key: KeyValues | null): string {
    const { keyTypes, restored } = this;
    // As texts, Debezium cannot compare most keys.
    if (key !== null && keyTypes === null) return restored[member] as string;
    return encodeKey(key, keyTypes ?? []);
  }

  /** @param warn called for a part that cannot be read; the current table then starts from its beginning */
  static restore(offset: SourceOffset | null, warn: (problem: string) => void): SnapshotContext {
    const context = new SnapshotContext();
    for (const channel of MARKED_CHANNELS) {
      const mark = offset?.[MARK + channel];
      if (typeof mark === 'string') context.marks.set(channel, mark);
    }
    const list = offset?.[COLLECTIONS];
    if (offset == null || typeof list !== 'string') return context;
    const id = offset[CORRELATION_ID];
    if (typeof id === 'string') context.correlationId = id;
    context.queue = collections(list, context.correlationId, warn);
    const order = offset[KEY_ORDER];
    if (typeof order === 'string') context.keyOrder = order;
    try {
      context.restored = { [MAXIMUM_KEY]: offset[MAXIMUM_KEY], [LAST_KEY]: offset[LAST_KEY] } as SourceOffset;
      context.maximumKey = keyOf(offset[MAXIMUM_KEY], 'upTo');
      context.lastKey = keyOf(offset[LAST_KEY], 'after');
    } catch (error) {
      warn(`The key of its last chunk ${(error as Error).message}, so the table is read from its beginning.`);
      context.restartTable();
    }
    return context;
  }
}

function listOf(queue: readonly Collection[], correlationId: string | null): string {
  return JSON.stringify(
    queue.map((one) => ({
      [ID]: one.table,
      [CONDITION]: one.condition,
      [SURROGATE_KEY]: one.surrogateKey,
      // Not for each table of a long list.
      ...(one.correlationId === correlationId ? {} : { [COLLECTION_CORRELATION_ID]: one.correlationId }),
    })),
  );
}

/** Every offset has the list of tables. Throws an Error whose message completes "The signal …". */
export function checkListFits(queue: readonly Collection[], added: readonly Collection[], correlationId: string): void {
  // As in the JSON of the offset, in which the list is a text.
  const bytes = Buffer.byteLength(JSON.stringify(listOf([...queue, ...added], correlationId)));
  if (bytes <= MAX_LIST_BYTES) return;
  const waiting = queue.length === 0 ? '' : ` beside ${queue.length} that are still to be read`;
  throw new Error(
    `asks for ${added.length} tables${waiting}: their list takes ${bytes} bytes of each offset, of at most ${MAX_LIST_BYTES}. Send signals for fewer tables, each after the snapshot of the one before is complete`,
  );
}

/** The offset without what a snapshot on request has added; the same one if there is nothing of it. */
export function withoutContext(offset: SourceOffset): SourceOffset {
  const marked = offset.snapshot === 'INCREMENTAL' || offset.snapshot === 'BLOCKING';
  const isAdded = (name: string): boolean => name.startsWith(PREFIX) || (marked && MARKS.includes(name));
  const names = Object.keys(offset);
  if (!names.some(isAdded)) return offset;
  return Object.fromEntries(Object.entries(offset).filter(([name]) => !isAdded(name)));
}

const MARKS = ['snapshot', 'snapshot_completed', 'last_snapshot_record'];

function keyOf(hex: unknown, bound: KeyBound): KeyValues | null {
  return typeof hex === 'string' ? decodeKey(hex, bound) : null;
}

function collections(list: string, correlationId: string | null, warn: (problem: string) => void): Collection[] {
  try {
    if (list.length > MAX_LENGTH) throw new Error('too long');
    const parsed = JSON.parse(list) as unknown;
    if (!Array.isArray(parsed)) throw new Error('not a list');
    return parsed.flatMap((one: Record<string, unknown> | null) => {
      const text = (name: string): string | null =>
        typeof one?.[name] === 'string' && one[name] !== '' ? one[name] : null;
      const table = text(ID);
      if (table === null) return [];
      const [condition, surrogateKey] = [text(CONDITION), text(SURROGATE_KEY)];
      return [{ table, condition, surrogateKey, correlationId: text(COLLECTION_CORRELATION_ID) ?? correlationId }];
    });
  } catch {
    warn('Its list of tables is not valid, so it does not continue.');
    return [];
  }
}
