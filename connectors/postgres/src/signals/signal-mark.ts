/**
 * How far a channel is applied, as text in the connector's offsets: a channel stores that it has read a signal after
 * its effect is stored, and after a crash in between the signal must not be applied again (cdc-postgres §4.9). Pure.
 */
import { createHash } from 'node:crypto';

/** The channels that store for themselves what they have read. */
export const MARKED_CHANNELS = ['kafka', 'file'] as const;
export type MarkedChannel = (typeof MARKED_CHANNELS)[number];

export interface SignalMark {
  readonly channel: MarkedChannel;
  readonly text: string;
}

/** Of the last signal in a topic that is applied. */
export interface KafkaPosition {
  readonly offset: number;
  /**
   * The newest one up to this offset, because the clocks of producers may differ. Signals of a topic that was created
   * again have lower offsets and newer timestamps.
   */
  readonly timestamp: number;
}

export function kafkaMark(topic: string, { offset, timestamp }: KafkaPosition): SignalMark {
  return { channel: 'kafka', text: `${offset} ${timestamp} ${topic}` };
}

/** Null: the mark is not one of this topic. */
export function kafkaPosition(mark: string | null, topic: string): KafkaPosition | null {
  const [, offset = '', timestamp = '', of] = /^(\d{1,16}) (-?\d{1,16}) (.*)$/s.exec(mark ?? '') ?? [];
  return of === topic ? { offset: Number(offset), timestamp: Number(timestamp) } : null;
}

/** Marks of growing begins of a file. */
export class FileMarks {
  private readonly hash = createHash('sha256');
  private length = 0;

  constructor(private readonly bytes: Buffer) {}

  /** @param end not before that of the last call */
  upTo(end: number): SignalMark {
    this.hash.update(this.bytes.subarray(this.length, end));
    this.length = end;
    return { channel: 'file', text: `${end} ${this.hash.copy().digest('hex')}` };
  }
}

/** The begin of the file that the mark names; empty: the file begins differently. */
export function markedBegin(mark: string, bytes: Buffer): Buffer {
  const end = Number(/^\d{1,16}/.exec(mark)?.[0] ?? 0);
  const isSame = end <= bytes.length && new FileMarks(bytes).upTo(end).text === mark;
  return bytes.subarray(0, isSame ? end : 0);
}
