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
