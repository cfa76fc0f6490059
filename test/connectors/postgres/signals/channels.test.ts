/** The channels that are polled: what is read once its effect is stored, and only then. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryConsumers } from '@millrace/sdk/testing';
import { FileChannel } from '../../../../connectors/postgres/src/signals/file-channel';
import { KafkaChannel } from '../../../../connectors/postgres/src/signals/kafka-channel';
import { SignalInbox } from '../../../../connectors/postgres/src/signals/signal-inbox';
import { waitFor } from '../../../helpers/wait-for';

const TEXT = '{"id":"a","type":"log","data":{"message":"x"}}';
const lines: string[] = [];
const log = (line: string): void => void lines.push(line);
const logger = { error: log, warn: log, info: log, debug: log, trace: log };
const folder = mkdtempSync(join(tmpdir(), 'millrace-signals-'));
const file = join(folder, 'signals.txt');
afterAll(() => rmSync(folder, { recursive: true }));

function channels() {
  lines.splice(0);
  writeFileSync(file, `${TEXT}\n`);
  const inbox = new SignalInbox();
  const consumers = new MemoryConsumers();
  consumers.add('p', TEXT);
  const consumer = consumers.create({}, { topic: 't', partition: 0 });
  return {
    inbox,
    consumers,
    /** Whether the signal of each would be read again. */
    left: () => [readFileSync(file, 'utf8') !== '', consumers.committed === 0],
    poll: () =>
      Promise.all([
        new FileChannel(file, inbox, logger).poll(),
        new KafkaChannel(consumer, 't', 'p', inbox, logger).poll(),
      ]),
  };
}

test('cdc-postgres 103: a signal is read when it is applied', async () => {
  const { inbox, poll, left } = channels();
  const polled = poll();
  await waitFor('both signals', () => inbox.size === 2);
  expect(left()).toEqual([true, true]);
  for (const { applied } of inbox.take()) applied();
  await polled;
  expect(left()).toEqual([false, false]);
});

test('cdc-postgres 103: a signal without effect is not read again', async () => {
  const { inbox, poll, left } = channels();
  const polled = poll();
  await waitFor('both signals', () => inbox.size === 2);
  for (const { rejected } of inbox.take()) rejected(new Error('no such snapshot'));
  await polled;
  expect(left()).toEqual([false, false]);
});

test('cdc-postgres 103: a signal that waits when the task stops is read again by the next start', async () => {
  const { inbox, poll, left } = channels();
  const polled = poll();
  await waitFor('both signals', () => inbox.size === 2);
  inbox.close();
  await polled;
  expect(left()).toEqual([true, true]);
  expect(lines).toEqual([]);
});

test('cdc-postgres 103: an offset that could not be committed is committed later', async () => {
  const { inbox, consumers } = channels();
  const consumer = consumers.create({}, { topic: 't', partition: 0 });
  let failures = 1;
  const channel = new KafkaChannel(
    { ...consumer, commit: (offset) => (failures-- > 0 ? Promise.reject(new Error('no')) : consumer.commit(offset)) },
    ...(['t', 'p', inbox, logger] as const),
  );
  inbox.onSignal = () => inbox.take().forEach(({ applied }) => applied());
  await channel.poll();
  expect([consumers.committed, lines]).toEqual([0, ['PG_SIGNAL: reading signal topic t failed: no']]);
  await channel.poll();
  expect(consumers.committed).toBe(1);
});

/** Signals a, b and c in a topic, at these times, and what a channel applies after a start with a mark. */
function marked(...times: readonly number[]) {
  const { inbox, consumers } = channels();
  const applied: string[] = [];
  const marks: string[] = [];
  inbox.onSignal = () => {
    for (const { signal, mark, applied: done, rejected } of inbox.take()) {
      applied.push(signal.id);
      if (signal.type === 'wrong') {
        rejected(new Error('unknown type'));
        continue;
      }
      marks.push(mark?.text ?? '');
      done();
    }
  };
  consumers.records.splice(0);
  for (const [i, id] of ['a', 'b', 'c'].entries()) {
    consumers.add('p', TEXT.replace('"a"', `"${id}"`));
    Object.assign(consumers.records[i] as object, { timestamp: times[i] });
  }
  const read = async (mark: string | null, topic = 't'): Promise<string[]> => {
    applied.splice(0);
    consumers.committed = 0;
    await new KafkaChannel(consumers.create({}, { topic, partition: 0 }), topic, 'p', inbox, logger, mark).poll();
    return [...applied];
  };
  return { consumers, marks, read };
}

test('cdc-postgres 103: signals up to the mark are skipped, and those of a topic that was created again are not', async () => {
  const { marks, read } = marked(1000, 1001, 1002);
  expect(await read('1 1001 t')).toEqual(['c']);
  expect(marks).toEqual(['2 1002 t']);
  expect(await read('1 1000 t')).toEqual(['b', 'c']);
  expect(await read('9 999 t')).toEqual(['a', 'b', 'c']);
  expect(await read('9 1001 t')).toEqual(['c']);
  expect(await read('1 1001 t', 'other t')).toEqual(['a', 'b', 'c']);
  expect(await read('not a mark')).toEqual(['a', 'b', 'c']);
});

test('cdc-postgres 103: producers whose clocks differ: signals up to the mark are skipped', async () => {
  const { marks, read } = marked(5000, 1000, 2000);
  expect(await read(null)).toEqual(['a', 'b', 'c']);
  const [, second = null, third = null] = marks.splice(0);
  expect(await read(second)).toEqual(['c']);
  // The time of a signal of an earlier run is kept.
  expect(marks).toEqual([third]);
  expect(await read(third)).toEqual([]);
});

test('cdc-postgres 103: producers whose clocks differ: a rejected signal before the mark is skipped', async () => {
  const { consumers, marks, read } = marked(5000, 1000, 2000);
  Object.assign(consumers.records[0] as object, { value: Buffer.from(TEXT.replace('log', 'wrong')) });
  expect(await read(null)).toEqual(['a', 'b', 'c']);
  expect(await read(marks.at(-1) as string)).toEqual([]);
});
