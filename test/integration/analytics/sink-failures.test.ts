/** The sink task when the service rejects requests, is unreachable or slow; and records that cannot be delivered. */
import { Clients, take } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { line, SECRET, SinkSetup } from './sink-setup';

const setup = SinkSetup.forFile();
const clients = new Clients();
afterAll(async () => {
  await clients.close();
});

const ONE = { value: line('x', 100) };

async function deadLetters(): Promise<{ topic: string; config: Record<string, string> }> {
  const topic = await clients.topic();
  const servers = process.env['BOOTSTRAP_SERVERS'] ?? '';
  return {
    topic,
    config: { 'misc.deadletterqueue.bootstrap.servers': servers, 'misc.deadletterqueue.topic.name': topic },
  };
}

async function read(
  topic: string,
  count: number,
): Promise<{ key: string; value: string; headers: Record<string, string> }[]> {
  const consumer = await clients.assigned();
  consumer.assign([{ topic, partition: 0 }]);
  const batches = await take(consumer, count);
  return batches.flatMap(({ records }) =>
    records.map(({ key, value, headers }) => ({
      key: String(key),
      value: String(value),
      headers: Object.fromEntries(headers.map((header) => [header.key, String(header.value)])),
    })),
  );
}

test('analytics-sink 40: an unreachable storage: rows arrive once, and puts continue', async () => {
  setup.emulator.faults.add({ target: 'blob', status: 503, times: 7 });
  const harness = await setup.start();
  await harness.put([ONE]);
  await setup.committed(harness, 1);
  expect(await setup.rows()).toHaveLength(1);
  expect(harness.logger.lines).toEqual(
    expect.arrayContaining([expect.stringMatching(/^warn Cannot deliver kafka_t_0_0-0\.csv\.gz to d\./)]),
  );
});

test('analytics-sink 40: connections are cut, at the blob and at the queue', async () => {
  setup.emulator.faults.add({ target: 'blob', dropConnection: true, times: 4 });
  setup.emulator.faults.add({ target: 'queue', dropConnection: true, times: 4 });
  const harness = await setup.start();
  await harness.put([ONE]);
  await setup.committed(harness, 1);
  expect(await setup.rows()).toHaveLength(1);
});

test('analytics-sink 41, 9: a file that the service could not load fails the task, and is loaded after a restart', async () => {
  const harness = await setup.start({ 'analytics.ingest.confirm': 'ingested' }, { mapping: 'Missing' });
  await harness.put([ONE]);
  const { message } = await setup.failure(harness);
  expect(message).toMatch(
    new RegExp(
      `^t-0 offsets 0 to 0, after 1 attempt\\(s\\), could not be delivered to d\\.${setup.table}: .*BadRequest_MappingReferenceWasNotFound`,
    ),
  );
  await harness.commit();
  expect(harness.committed()).toBeNull();
  await setup.stop(harness);
  await setup.command(`.create table ${setup.table} ingestion csv mapping 'Missing' '[{"Name":"a","Ordinal":0}]'`);
  const again = await setup.start({ 'analytics.ingest.confirm': 'ingested' }, { mapping: 'Missing' });
  await again.put([ONE]);
  await setup.committed(again, 1);
  expect(await setup.rows()).toHaveLength(1);
});

test('analytics-sink 42: with a dead letter queue, the original records of such a file go there', async () => {
  const { topic, config } = await deadLetters();
  const harness = await setup.start(
    { 'analytics.ingest.confirm': 'ingested', 'behavior.on.error': 'log', ...config },
    { mapping: 'Missing' },
  );
  const headers = ['1', '2'].map((value) => ({ key: 'h', schema: null, value }));
  await harness.put([{ value: 'x,1', key: 'k', headers }, { value: line('y', 100) }]);
  await setup.committed(harness, 2);
  const dead = await read(topic, 2);
  expect(dead.map(({ key, value }) => [key, value])).toEqual([
    ['k', 'x,1'],
    ['null', line('y', 100)],
  ]);
  expect(dead[1]?.headers).toMatchObject({
    '__connect.errors.topic': 't',
    '__connect.errors.partition': '0',
    '__connect.errors.offset': '1',
    '__connect.errors.connector.name': 'storms',
    '__connect.errors.task.id': '0',
    '__connect.errors.stage': 'INGEST',
    '__connect.errors.exception.class.name': 'BadRequest_MappingReferenceWasNotFound',
    '__analytics.errors.database': 'd',
    '__analytics.errors.table': setup.table,
  });
  await harness.put([]);
});

test('analytics-sink 28: a record that is not JSON goes to the dead letter queue, the other records into the table', async () => {
  const { topic, config } = await deadLetters();
  const harness = await setup.start(
    { 'behavior.on.error': 'log', 'flush.interval.ms': '100', ...config },
    { format: 'json', mapping: 'J' },
  );
  await harness.put([{ value: '{"a":"x","b":1}' }, { value: '{"a":' }, { value: '{"a":"y","b":2}' }]);
  await setup.committed(harness, 3);
  expect(await setup.rows()).toEqual([
    ['x', 1],
    ['y', 2],
  ]);
  const [dead] = await read(topic, 1);
  expect(dead).toMatchObject({ value: '{"a":', headers: { '__connect.errors.stage': 'WRITE' } });
});

test('analytics-sink 22: such a record fails the task unless behavior.on.error says otherwise', async () => {
  const harness = await setup.start();
  await expect(harness.put([{ value: 'x,1' }, { value: { a: 1 } }])).rejects.toMatchObject({
    code: 'ANALYTICS_DELIVERY',
    message: expect.stringMatching(
      /^t-0 offset 1 could not be delivered to d\.T_\w+: The value is a structure, which a file of format csv cannot represent/,
    ) as string,
  });
});

test.each(['log', 'ignore'])(
  'analytics-sink 43: %s without a queue drops the file, and the log names it',
  async (behavior) => {
    const harness = await setup.start(
      { 'analytics.ingest.confirm': 'ingested', 'behavior.on.error': behavior },
      { mapping: 'Missing' },
    );
    await harness.put([{ value: 'x,1' }, { value: line('y', 100) }]);
    await setup.committed(harness, 2);
    await harness.put([]);
    expect(harness.logger.lines.filter((text) => /^(error|warn) /.test(text))).toEqual([
      expect.stringMatching(
        behavior === 'log'
          ? /^error t-0 offsets 0 to 1, after 1 attempt\(s\), could not be delivered to d\.T_\w+ and were dropped: .*BadRequest_MappingReferenceWasNotFound/
          : /^warn 2 record\(s\) could not be delivered; the last one: t-0 offsets 0 to 1/,
      ),
    ]);
  },
);

test('analytics-sink 44: a dead letter queue that rejects records fails the task, and nothing is committed', async () => {
  const { config } = await deadLetters();
  const harness = await setup.start(
    {
      ...config,
      'misc.deadletterqueue.topic.name': 'not a topic',
      'behavior.on.error': 'log',
      'errors.retry.max.time.ms': '0',
    },
    { format: 'json', mapping: 'J' },
  );
  await harness.put([{ value: '{' }]);
  expect(await setup.failure(harness)).toMatchObject({ code: 'ANALYTICS_DEAD_LETTERS' });
  await harness.commit();
  expect(harness.committed()).toBeNull();
});

test('analytics-sink 44: a missing dead letter queue fails the start', async () => {
  const start = setup.start({
    'misc.deadletterqueue.bootstrap.servers': '127.0.0.1:1',
    'misc.deadletterqueue.topic.name': 'dead',
  });
  await expect(start).rejects.toMatchObject({ code: 'ANALYTICS_DEAD_LETTERS' });
});

test('analytics-sink 45: a file of the interval that cannot be delivered fails the task without any further record', async () => {
  setup.emulator.faults.add({ target: 'queue', status: 503 });
  const harness = await setup.start({ 'flush.interval.ms': '100', 'errors.retry.max.time.ms': '300' });
  await harness.put([{ value: 'x,1' }]);
  expect((await setup.failure(harness)).message).toMatch(/^t-0 offsets 0 to 0, after \d+ attempt\(s\), .* answers 503/);
  await harness.commit();
  expect(harness.committed()).toBeNull();
});

test('analytics-sink 46: without retries there is one attempt', async () => {
  setup.emulator.faults.add({ target: 'blob', status: 503 });
  const harness = await setup.start({ 'errors.retry.max.time.ms': '0' });
  await harness.put([ONE]);
  expect((await setup.failure(harness)).message).toContain('after 1 attempt(s)');
});

test.each(['queued', 'ingested'])(
  'analytics-sink 47: expired access to the storage is renewed (%s)',
  async (confirm) => {
    const { emulator } = setup;
    emulator.resources.sasLifetimeMs = -1_000;
    const harness = await setup.start({ 'analytics.ingest.confirm': confirm, 'errors.retry.max.time.ms': '0' });
    emulator.resources.sasLifetimeMs = 3_600_000;
    await harness.put([ONE]);
    await setup.committed(harness, 1);
    expect(await setup.rows()).toHaveLength(1);
  },
);

test('analytics-sink 47: an expired token is renewed', async () => {
  const { emulator } = setup;
  const harness = await setup.start({ 'analytics.ingest.confirm': 'ingested', 'errors.retry.max.time.ms': '0' });
  const before = emulator.requests.length;
  emulator.faults.add({ target: 'ingestion', status: 401, times: 1 });
  await harness.put([ONE]);
  await setup.committed(harness, 1);
  expect(emulator.requests.slice(before).filter((request) => request.includes('/oauth2/'))).toHaveLength(1);
  expect(await setup.rows()).toHaveLength(1);
});

test('analytics-sink 48: a throttling service gets the time it requests, also at startup', async () => {
  const { emulator } = setup;
  emulator.faults.add({ target: 'mgmt', status: 429, retryAfterSeconds: 1, times: 1 });
  const before = Date.now();
  const harness = await setup.start();
  // Timers may fire about a millisecond early.
  expect(Date.now() - before).toBeGreaterThan(990);
  expect(harness.logger.lines[0]).toMatch(/^warn The service is not ready, retrying in 1000 ms: .* answers 429/);
});

test('analytics-sink 7, 9: a rejected login fails the start in one sentence, without the secret', async () => {
  const error = (await setup
    .start({ 'idp.auth.appkey': `${SECRET}-wrong` })
    .catch((caught: unknown) => caught)) as Error;
  expect(error).toMatchObject({ code: 'ANALYTICS_LOGIN' });
  expect(error.message).toMatch(
    /^The identity provider rejects the application: .*invalid_client.*Check "idp\.auth\.authority"/,
  );
  expect(`${error.stack}${JSON.stringify(error)}`).not.toContain(SECRET);
});

test('a wrong URL fails the start', async () => {
  await expect(setup.start({ 'analytics.url': 'http://127.0.0.1:1' })).rejects.toMatchObject({
    message: expect.stringMatching(/^http:\/\/127\.0\.0\.1:1\/v1\/rest\/auth\/metadata does not answer/) as string,
  });
});

test('optional start checks cover tables, mappings and streaming policies, and report all problems at once', async () => {
  const entries = [
    { topic: 't', db: 'd', table: setup.table, mapping: 'M', streaming: 'true' },
    { topic: 'u', db: 'd', table: setup.table, mapping: 'Missing' },
    { topic: 'v', db: 'd', table: 'Missing' },
  ];
  const checked = {
    'analytics.validation.table.enable': 'true',
    'analytics.tables.topics.mapping': JSON.stringify(entries),
  };
  const error = (await setup.start(checked).catch((caught: unknown) => caught)) as Error;
  expect(error).toMatchObject({ code: 'ANALYTICS_TABLES' });
  for (const part of [`d.${setup.table}: streaming ingestion is not enabled`, 'Missing', 'd.Missing: '])
    expect(error.message).toContain(part);
  await setup.command(`.alter table ${setup.table} policy streamingingestion enable`);
  await setup.start({ ...checked, 'analytics.tables.topics.mapping': JSON.stringify(entries.slice(0, 1)) });
});

test('analytics-sink 53: with confirm=queued a failure of the service appears only in its own list', async () => {
  const table = uniqueName('Missing');
  const harness = await setup.start({}, { table });
  await harness.put([ONE]);
  await setup.committed(harness, 1);
  await setup.emulator.ingestor.flush();
  const failures = await waitFor('the failure', async () => {
    const rows = await setup.command('.show ingestion failures');
    const found = rows.filter((row) => row.includes(table));
    return found.length > 0 && found;
  });
  expect(JSON.stringify(failures)).toContain('BadRequest_TableNotExist');
  expect(JSON.stringify(failures)).toContain(`d__${table}__`);
});
