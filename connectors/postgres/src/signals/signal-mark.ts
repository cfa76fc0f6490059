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

interface Position {
  readonly offset: number;
  readonly timestamp: number;
}

export function kafkaMark(topic: string, { offset, timestamp }: Position): SignalMark {
  return { channel: 'kafka', text: `${offset} ${timestamp} ${topic}` };
}

/** Whether a record of this topic is one up to the mark; those of a topic that was created again are newer. */
export function isBefore(mark: string | null, topic: string, { offset, timestamp }: Position): boolean {
  const [, last = '', time = '', of] = /^(\d{1,16}) (-?\d{1,16}) (.*)$/s.exec(mark ?? '') ?? [];
  return of === topic && offset <= Number(last) && timestamp <= Number(time);
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
