/** Parses the entries of a request into offsets of a consumer group. Pure. Source: connect-rest §2.3, Appendix R 10. */
import { Float64, jsonFloat, writeJson, type JsonObject, type JsonValue } from '../../storage/connect-json';
import type { PartitionOffset } from '../connector-offsets';
import { HerderError } from '../errors';

const TOPIC = 'kafka_topic';
const PARTITION = 'kafka_partition';
const OFFSET = 'kafka_offset';

export interface GroupOffset {
  readonly topic: string;
  readonly partition: number;
  /** Next offset to read; null: delete it. */
  readonly offset: number | null;
}

/** The last entry for a partition wins. Throws HerderError 400. */
export function sinkOffsetRequest(entries: readonly PartitionOffset[]): GroupOffset[] {
  const found = new Map<string, GroupOffset>();
  for (const { partition, offset } of entries) {
    const parsed = { ...topicPartition(partition), offset: groupOffset(offset) };
    found.set(`${parsed.partition} ${parsed.topic}`, parsed);
  }
  return [...found.values()];
}

export function groupOffsetEntry({ topic, partition, offset }: GroupOffset): PartitionOffset {
  return { partition: { [PARTITION]: partition, [TOPIC]: topic }, offset: { [OFFSET]: offset } };
}

function topicPartition(members: JsonObject | null): { topic: string; partition: number } {
  if (members === null) throw invalid('The partition for a sink connector offset cannot be null or missing');
  if (!(TOPIC in members) || !(PARTITION in members))
    throw invalid(`The partition for a sink connector offset must contain the keys '${TOPIC}' and '${PARTITION}'`);
  const { [TOPIC]: topic = null, [PARTITION]: partition = null } = members;
  if (topic === null) throw invalid('Kafka topic names must be valid strings and may not be null');
  if (partition === null) throw invalid('Kafka partitions must be valid numbers and may not be null');
  const number = integer(partition, 32);
  if (number === null)
    throw invalid(
      `Failed to parse the following Kafka partition value in the provided offsets: '${text(partition)}'. Partition values for sink connectors need to be integers.`,
    );
  return { topic: text(topic), partition: Number(number) };
}

function groupOffset(members: JsonObject | null): number | null {
  if (members === null) return null;
  if (!(OFFSET in members))
    throw invalid(`The offset for a sink connector should either be null or contain the key '${OFFSET}'`);
  const value = members[OFFSET] ?? null;
  const number = integer(value, 64);
  if (number === null)
    throw invalid(
      `Failed to parse the following Kafka offset value in the provided offsets: '${text(value)}'. Offset values for sink connectors need to be integers.`,
    );
  if (number < 0n || number > BigInt(Number.MAX_SAFE_INTEGER))
    throw invalid(`The offset ${number} cannot be stored: it must be at least 0 and below 2^53`);
  return Number(number);
}

/** As Java's `parseInt` and `parseLong`; null for anything that they reject. */
function integer(value: JsonValue, bits: number): bigint | null {
  const digits = text(value);
  if (!/^[+-]?[0-9]+$/.test(digits)) return null;
  const number = BigInt(digits.replace(/^\+/, ''));
  return BigInt.asIntN(bits, number) === number ? number : null;
}

/** As Java's `String.valueOf`. */
function text(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (value instanceof Float64) return jsonFloat(value.value);
  if (typeof value === 'number' && !Number.isInteger(value)) return jsonFloat(value);
  return typeof value === 'object' ? writeJson(value) : String(value);
}

function invalid(message: string): HerderError {
  return new HerderError(400, message);
}
