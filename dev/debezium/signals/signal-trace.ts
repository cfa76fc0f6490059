/** Records in a form that is the same for both engines where they do the same. */
import type { EventRecord } from '../event-record';

/** A line for each record. */
export interface SignalTrace {
  readonly notes: readonly string[];
  /** Rows of the signal table. */
  readonly signals: readonly string[];
  readonly rows: readonly string[];
}

interface Note {
  readonly id: string;
  readonly type: string;
  readonly aggregate_type: string;
  readonly additional_data: Readonly<Record<string, string>>;
}

interface Event<Row> {
  readonly op: string;
  readonly before: Row | null;
  readonly after: Row | null;
  readonly source: { readonly snapshot: string | null; readonly txId: unknown };
}

interface SignalRow {
  readonly id: string;
  readonly type: string;
  readonly data: string | null;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /"\d{4}-\d\d-\d\dT[\d:.]+Z"/g;

/** Null: the record is not a notification. */
export function noteOf({ topic, value }: EventRecord): Note | null {
  return topic === 'notes' ? (JSON.parse(value[1] as string) as Note) : null;
}

export function traceOf(records: readonly EventRecord[]): SignalTrace {
  const windows = new Map<string, string>();
  const number = (id: string): string => {
    if (!windows.has(id)) windows.set(id, `window ${windows.size + 1}`);
    return windows.get(id) as string;
  };
  const trace = { notes: [] as string[], signals: [] as string[], rows: [] as string[] };
  for (const record of records) {
    const note = noteOf(record);
    if (note !== null) trace.notes.push(noteLine(note));
    else if (record.topic.endsWith('.signals')) trace.signals.push(signalLine(record).replace(UUID, number));
    else trace.rows.push(rowLine(record));
  }
  return trace;
}

function noteLine({ id, type, aggregate_type: aggregate, additional_data: data }: Note): string {
  const { data_collections: tables, signal_id: _onlyHere, ...rest } = data;
  // In Debezium, the tables of these have no order, and the id of the second may be random.
  const isAborted = type === 'ABORTED';
  const isSet = isAborted || (type === 'IN_PROGRESS' && aggregate === 'Initial Snapshot');
  const shown = isSet ? tables?.split(',').sort().join() : tables;
  const members = [...Object.entries(rest), ...(shown === undefined ? [] : [['data_collections', shown] as const])];
  const of = isAborted ? 'a snapshot' : id.replace(UUID, 'random');
  return `${of}: ${aggregate} ${type} ${JSON.stringify(Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1))))}`;
}

function signalLine({ key, value }: EventRecord): string {
  const event = JSON.parse(value[1] ?? 'null') as Event<SignalRow> | null;
  if (event === null) return `tombstone ${key[1]}`;
  const { id, type, data } = (event.after ?? event.before) as SignalRow;
  return `${event.op} ${id} ${type} ${data?.replace(TIME, '"time"')}`;
}

function rowLine({ topic, key, value }: EventRecord): string {
  const event = JSON.parse(value[1] ?? 'null') as Event<unknown> | null;
  if (event === null) return `${topic} tombstone ${key[1]}`;
  const { op, before, after, source } = event;
  const mark = `${source.snapshot ?? 'false'}, ${source.txId === null ? 'without' : 'with'} txId`;
  return `${topic} ${op} ${key[1]} ${JSON.stringify(before)} ${JSON.stringify(after)} ${mark}`;
}
