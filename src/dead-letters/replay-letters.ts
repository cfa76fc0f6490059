/**
 * Sends dead letters back to the topics and partitions they came from, at least once: a replay that is repeated sends
 * them again. The letters stay in their topic.
 */
import { ConnectError, messageOf, unlessAborted } from '@millrace/sdk';
import type { ConsumerRecord, Producer } from '@millrace/kafka-client';
import type { TopicReaders } from '../records/record-ranges';
import { failureOf, type Failure } from './failure-of';
import { lettersAt, type LetterAt } from './letters-at';
import { originalRecord, type ReplayTarget } from './original-record';
import { placeOf } from './returned-letters';

export interface ReplayClients extends TopicReaders {
  /** Connected. */
  readonly producer: Pick<Producer, 'isPrepared' | 'prepare' | 'whenReady' | 'send' | 'flush'>;
}

export interface ReplayLettersRequest {
  readonly topic: string;
  readonly letters: readonly LetterAt[];
  /** Whether the letter may be sent back. Throws ConnectError. */
  readonly check: (failure: Failure) => void;
  /** Ends the replay: what is not acknowledged by then has failed. */
  readonly signal: AbortSignal;
}

export interface ReplayOutcome {
  /** Null: it was sent, and acknowledged. */
  readonly error: ConnectError | null;
  /** `placeOf` the record that was sent; null: it was not. */
  readonly place: string | null;
}

/** One for each letter of the request, in its order. */
export async function replayLetters(
  clients: ReplayClients,
  { topic, letters, check, signal }: ReplayLettersRequest,
): Promise<ReplayOutcome[]> {
  const outcomes = new Map<string, ReplayOutcome>();
  const { producer } = clients;
  // An unknown topic is waited for once, not for each of its letters.
  const failures = new Map<string, unknown>();
  const prepare = async (target: string): Promise<void> => {
    if (producer.isPrepared(target)) return;
    if (failures.has(target)) throw failures.get(target);
    await unlessAborted(producer.prepare([target]), signal).catch((error: unknown) => {
      failures.set(target, error);
      throw error;
    });
  };
  for await (const letter of lettersAt(clients, topic, letters, signal)) {
    const fail = (error: unknown): unknown => outcomes.set(keyOf(letter), { error: failed(error), place: null });
    try {
      const { record } = letter;
      if (record === null) throw gone(topic, letter);
      const target = targetOf(topic, letter, record, check);
      await prepare(target.topic);
      await unlessAborted(Promise.resolve(producer.whenReady()), signal);
      producer.send(originalRecord(record, target), (error, _token, origin, partition, offset) => {
        if (error) fail(error);
        else outcomes.set(keyOf(letter), { error, place: placeOf({ topic: origin, partition, offset }) });
      });
    } catch (error) {
      fail(error);
    }
  }
  await unlessAborted(producer.flush(), signal).catch(() => undefined);
  const late = failed(new Error('Kafka did not acknowledge it in time. It may arrive nevertheless.'));
  return letters.map((letter) => outcomes.get(keyOf(letter)) ?? { error: late, place: null });
}

function targetOf(
  topic: string,
  { partition, offset }: LetterAt,
  { headers }: ConsumerRecord,
  check: ReplayLettersRequest['check'],
): ReplayTarget {
  const failure = failureOf(headers);
  check(failure);
  if (failure.topic === null || failure.partition === null)
    throw new ConnectError(
      'The headers of the dead letter do not say where it came from: errors.deadletterqueue.context.headers.enable was ' +
        `not set. Send it to a topic of your choice: millrace dlq replay ${topic} --partition ${partition} --from ${offset} -n 1 --to TOPIC.`,
      { code: 'DLQ_NO_ORIGIN', place: { topic, partition, offset } },
    );
  return { topic: failure.topic, partition: failure.partition };
}

function gone(topic: string, { partition, offset }: LetterAt): ConnectError {
  return new ConnectError(
    `There is no dead letter at offset ${offset} of partition ${partition} of ${topic} any more: Kafka has deleted or compacted it.`,
    { code: 'DLQ_LETTER_GONE', place: { topic, partition, offset } },
  );
}

function failed(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  return new ConnectError(`The dead letter was not sent: ${messageOf(error)}`, { code: 'DLQ_REPLAY', cause: error });
}

function keyOf({ partition, offset }: LetterAt): string {
  return `${partition}:${offset}`;
}
