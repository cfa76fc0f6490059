/** Notifications in their channels. */
import type { Schema, SourceRecord } from '@millrace/sdk';
import { checkConfig } from '../../../../connectors/postgres/src/config/check';
import { notificationConfig } from '../../../../connectors/postgres/src/config/notification-config';
import { Notifications } from '../../../../connectors/postgres/src/notifications/notifications';

const partition = { server: 'fulfillment' };
const lines: string[] = [];
const logger = { error: log, warn: log, info: log, debug: log, trace: log };
function log(line: string): void {
  lines.push(line);
}
beforeEach(() => void lines.splice(0));

const toTopic = { 'notification.enabled.channels': 'sink', 'notification.sink.topic.name': 'notes' };
const notifications = (config: Record<string, string>, stored: Record<string, number> | null = null): Notifications =>
  new Notifications(notificationConfig(config), partition, 'fulfillment', logger, stored);
const record = (lsn: number, of = partition): SourceRecord => ({
  ...{ sourcePartition: of, sourceOffset: { lsn }, topic: 'a', keySchema: null, key: null },
  ...{ valueSchema: null, value: null },
});

test('cdc-postgres 106: the sink channel has the key, value and schemas of Debezium', () => {
  const sent = notifications(toTopic);
  const before = Date.now();
  const data = { current_collection_in_progress: 'public.big', last_processed_key: '2' };
  sent.send({ id: 'ad-hoc-1', aggregateType: 'Incremental Snapshot', type: 'IN_PROGRESS', additionalData: data });
  const [note] = sent.appendTo(null) as [SourceRecord];
  expect(note).toMatchObject({ topic: 'notes', sourcePartition: partition, key: { id: 'ad-hoc-1' } });
  expect(note.value).toEqual({
    id: 'ad-hoc-1',
    type: 'IN_PROGRESS',
    aggregate_type: 'Incremental Snapshot',
    additional_data: new Map([['connector_name', 'fulfillment'], ...Object.entries(data)]),
    timestamp: expect.any(Number) as number,
  });
  expect((note.value as { timestamp: number }).timestamp).toBeGreaterThanOrEqual(before);
  expect(note.keySchema).toMatchObject({ name: 'io.debezium.connector.common.NotificationKey', version: 1 });
  const { name, version, fields } = note.valueSchema as Schema;
  expect([name, version]).toEqual(['io.debezium.connector.common.Notification', 1]);
  expect(fields?.map((field) => field.name)).toEqual(['id', 'type', 'aggregate_type', 'additional_data', 'timestamp']);
  expect(sent.appendTo(null)).toBeNull();
});

test('a notification without a signal has a random id', () => {
  const sent = notifications(toTopic);
  sent.send({ aggregateType: 'Initial Snapshot', type: 'SKIPPED' });
  sent.send({ aggregateType: 'Initial Snapshot', type: 'COMPLETED' });
  const [a, b] = (sent.appendTo(null) as SourceRecord[]).map(({ key }) => (key as { id: string }).id);
  expect(a).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  expect(b).not.toBe(a);
});

describe('a notification carries a position that confirms nothing more:', () => {
  const sentWith = (sent: Notifications, records: SourceRecord[] | null = null): unknown => {
    sent.send({ aggregateType: 'Initial Snapshot', type: 'STARTED' });
    return sent.appendTo(records)?.at(-1)?.sourceOffset;
  };

  test('the stored position at start, and none without one', () => {
    expect(sentWith(notifications(toTopic, { lsn: 7 }))).toEqual({ lsn: 7 });
    expect(sentWith(notifications(toTopic))).toEqual({});
  });

  test("the position of the connector's last record before it", () => {
    const sent = notifications(toTopic);
    expect(sentWith(sent, [record(1), record(2), record(3, { server: 'another' })])).toEqual({ lsn: 2 });
    expect(sentWith(sent)).toEqual({ lsn: 2 });
  });

  test('the position stored last without a record', () => {
    const sent = notifications(toTopic, { lsn: 7 });
    sent.stored({ lsn: 9 });
    expect(sentWith(sent)).toEqual({ lsn: 9 });
    sent.stored(null);
    expect(sentWith(sent)).toEqual({});
  });
});

test('records come before the notifications of the same poll', () => {
  const sent = notifications(toTopic);
  sent.send({ aggregateType: 'Initial Snapshot', type: 'COMPLETED' });
  expect(sent.appendTo([record(1), record(2)])?.map(({ topic }) => topic)).toEqual(['a', 'a', 'notes']);
});

test('the log channel writes one line and no record', () => {
  const sent = notifications({ 'notification.enabled.channels': 'log' });
  sent.send({ id: 'x', aggregateType: 'Initial Snapshot', type: 'STARTED' });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^\[Notification Service\] \{"id":"x","aggregateType":"Initial Snapshot","type":"STARTED"/);
  expect(sent.appendTo(null)).toBeNull();
});

test('without a channel nothing is sent', () => {
  const sent = notifications({});
  sent.send({ aggregateType: 'Initial Snapshot', type: 'STARTED' });
  expect([sent.appendTo(null), lines]).toEqual([null, []]);
});

describe('validation:', () => {
  const problems = (config: Record<string, string>): unknown[] =>
    checkConfig(config).problems.filter(({ key }) => key.startsWith('notification.'));

  test('cdc-postgres 106: the sink channel needs a topic', () => {
    expect(problems({ 'notification.enabled.channels': 'log, sink' })).toMatchObject([
      {
        key: 'notification.sink.topic.name',
        message: expect.stringContaining(
          'Notification topic name must be provided when kafka notification channel is enabled',
        ) as string,
      },
    ]);
    expect(problems(toTopic)).toEqual([]);
  });

  test('an unknown channel is rejected, jmx is accepted', () => {
    expect(problems({ 'notification.enabled.channels': 'jmx' })).toEqual([]);
    expect(problems({ 'notification.enabled.channels': 'http' })).toMatchObject([
      {
        key: 'notification.enabled.channels',
        message: expect.stringContaining('use one or more of log, sink') as string,
      },
    ]);
  });
});
