/** Offsets of a connector while they are edited, and the `PATCH` that stores what changed. Pure. */
import {
  isObject,
  JsonNumber,
  parseJson,
  TextError,
  writeJson,
  type Json,
  type JsonObject,
} from '../documents/json-text';

export type ConnectorType = 'source' | 'sink' | 'unknown';

export interface OffsetRow {
  /** As JSON on one line; what is typed, for a partition that is added. */
  readonly partition: string;
  /** Null: the partition is added. */
  readonly before: string | null;
  /** JSON; of a sink, only the number. */
  readonly text: string;
  /** The offset is removed, so that the connector begins this partition again. */
  readonly isReset: boolean;
}

export interface OffsetEntry {
  readonly partition: JsonObject;
  /** Null: reset. */
  readonly offset: JsonObject | null;
}

/** What is read of `GET /connectors/NAME/offsets`. @throws TextError */
export function readOffsets(text: string, type: ConnectorType): readonly OffsetRow[] {
  const answer = parseJson(text);
  const offsets = isObject(answer) ? answer.get('offsets') : null;
  if (!Array.isArray(offsets)) throw new TextError('The worker returned no list "offsets".', 1, 1);
  return (offsets as readonly Json[]).flatMap((entry) => {
    const partition = isObject(entry) ? entry.get('partition') : undefined;
    const offset = isObject(entry) ? entry.get('offset') : undefined;
    if (!isObject(partition) || !isObject(offset)) return [];
    const shown = type === 'sink' ? (kafkaOffset(offset) ?? '') : writeJson(offset);
    return [{ partition: writeJson(partition, 0), before: shown, text: shown, isReset: false }];
  });
}

/** What is wrong with a row, as a sentence; null: nothing. */
export function problemOf(row: OffsetRow, type: ConnectorType): string | null {
  try {
    entryOf(row, type);
    return null;
  } catch (error) {
    if (error instanceof TextError) return error.line > 1 || error.column > 1 ? error.message : error.reason;
    throw error;
  }
}

export function isChanged({ before, text, isReset }: OffsetRow): boolean {
  return before === null || isReset || text.trim() !== before;
}

/** Positions of partitions that occur twice. */
export function repeated(rows: readonly OffsetRow[]): ReadonlySet<number> {
  const keys = rows.map(({ partition }) => {
    try {
      return canonical(parseJson(partition));
    } catch {
      return partition;
    }
  });
  return new Set(keys.flatMap((key, i) => (keys.indexOf(key) === i ? [] : [i])));
}

/** Body of `PATCH /connectors/NAME/offsets`, as text: numbers keep their digits. @throws TextError */
export function patchOf(rows: readonly OffsetRow[], type: ConnectorType): string {
  const entries = rows.filter(isChanged).map((row) => entryOf(row, type));
  return writeJson(
    new Map<string, Json>([
      [
        'offsets',
        entries.map(
          ({ partition, offset }) =>
            new Map<string, Json>([
              ['partition', partition],
              ['offset', offset],
            ]),
        ),
      ],
    ]),
  );
}

/** @throws TextError */
export function entryOf({ partition, text, isReset }: OffsetRow, type: ConnectorType): OffsetEntry {
  const key = parseJson(partition);
  if (!isObject(key)) throw new TextError('A partition is an object, such as {"filename": "a.txt"}.', 1, 1);
  if (type === 'sink') checkKafkaPartition(key);
  else checkPrimitives(key, 'partition');
  if (isReset) return { partition: key, offset: null };
  if (type === 'sink') {
    if (!/^\d{1,18}$/.test(text.trim())) throw new TextError('An offset is a number from 0.', 1, 1);
    return { partition: key, offset: new Map([['kafka_offset', new JsonNumber(String(BigInt(text.trim())))]]) };
  }
  const offset = parseJson(text);
  if (!isObject(offset)) throw new TextError('An offset is an object, such as {"position": 30}.', 1, 1);
  checkPrimitives(offset, 'offset');
  return { partition: key, offset };
}

function checkKafkaPartition(partition: JsonObject): void {
  const topic = partition.get('kafka_topic');
  const number = partition.get('kafka_partition');
  const digits = number instanceof JsonNumber ? number.text : number;
  if (typeof topic !== 'string' || topic === '' || typeof digits !== 'string' || !/^\d{1,9}$/.test(digits))
    throw new TextError('A partition of a sink is {"kafka_topic": "…", "kafka_partition": 0}.', 1, 1);
}

function checkPrimitives(value: JsonObject, what: string): void {
  for (const [key, item] of value)
    if (isObject(item) || Array.isArray(item))
      throw new TextError(`"${key}" of the ${what} must be a text, a number, a boolean or null.`, 1, 1);
}

function kafkaOffset(offset: JsonObject): string | null {
  const value = offset.get('kafka_offset');
  return value instanceof JsonNumber ? value.text : typeof value === 'string' ? value : null;
}

/** The same text for partitions whose keys are in another order. */
function canonical(value: Json): string {
  if (!isObject(value)) return writeJson(value, 0);
  return writeJson(new Map([...value].sort(([a], [b]) => (a < b ? -1 : 1))), 0);
}

/** A partition for people: `orders, partition 3`, or `server=fulfillment`. */
export function partitionTitle(partition: string): string {
  let value: Json;
  try {
    value = parseJson(partition);
  } catch {
    return partition;
  }
  if (!isObject(value)) return partition;
  const topic = value.get('kafka_topic');
  const number = value.get('kafka_partition');
  if (typeof topic === 'string' && number instanceof JsonNumber) return `${topic}, partition ${number.text}`;
  return [...value].map(([key, item]) => `${key}=${typeof item === 'string' ? item : writeJson(item, 0)}`).join(', ');
}
