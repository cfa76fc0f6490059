/** A real sink: its dead letters are shown by another worker and, once the cause is fixed, sent back to it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import type { DeadLetters, ReplayRequest, ReplayResult } from '@millrace/console';
import { runCli } from '../../../src/cli/cli';
import { FakeIo } from '../../cli/fake-io';
import { fileSinkConfig } from '../../helpers/file-sink-config';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const clients = new Clients();
const group = uniqueName('replay');
let workers: StartedWorker[] = [];

beforeAll(async () => {
  workers = await Promise.all([startWorker({ group }), startWorker({ group })]);
  for (const worker of workers) await worker.ready();
});
afterAll(async () => {
  await Promise.all(workers.map(async (worker) => await worker.stop()));
  await clients.close();
});

test('a record that its sink cannot read becomes a dead letter, and reaches the sink by a replay', async () => {
  const [one, two] = workers as [StartedWorker, StartedWorker];
  const topic = await clients.topic(2);
  const letterTopic = uniqueName('letters');
  const file = join(one.folder, 'lines.txt');
  const config = fileSinkConfig(topic, file, {
    'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'errors.tolerance': 'all',
    'errors.deadletterqueue.topic.name': letterTopic,
    'errors.deadletterqueue.topic.replication.factor': '1',
    'errors.deadletterqueue.context.headers.enable': 'true',
  });
  await one.register({ name: 'sink', config });
  await one.running('sink');
  await clients.send(topic, ['not json'], 1);
  let page: Partial<DeadLetters> | undefined;
  await waitFor(
    'the dead letter',
    async () => {
      // An error until this worker has read the connector's config, too.
      page = (await two.request('GET', '/ui/api/connectors/sink/dead-letters')).json as Partial<DeadLetters>;
      return page.letters?.length === 1;
    },
    { detail: () => `${JSON.stringify(page)}\n${one.process.log().slice(-4_000)}` },
  );
  expect(page).toMatchObject({
    ...{ topic: letterTopic, total: 1 },
    letters: [
      {
        ...{ partition: 0, offset: '0', value: 'not json', at: expect.any(Number) },
        failure: {
          stage: 'VALUE_CONVERTER',
          errorClass: 'org.apache.kafka.connect.errors.DataException',
          message: expect.any(String),
          task: 0,
        },
        origin: { topic, partition: 1, offset: '0' },
      },
    ],
  });

  const replay = async (...letters: ReplayRequest['letters']): Promise<ReplayResult['results']> => {
    const answer = await two.request('POST', '/ui/api/connectors/sink/dead-letters/replay', { letters });
    return (answer.json as ReplayResult).results;
  };
  const first = { partition: 0, offset: '0' };
  const reason = (page as DeadLetters).letters[0]?.failure.message;
  expect(await replay(first)).toEqual([{ ...first, error: null, failedAgain: reason }]);
  const io = new FakeIo('/', { BOOTSTRAP_SERVERS: process.env.BOOTSTRAP_SERVERS ?? '', MILLRACE_CONTEXTS: 'none' });
  expect(await runCli(['dlq', 'replay', letterTopic, '-n', '1', '--yes', '--wait-timeout', '60'], io)).toBe(5);
  expect(io.out).toBe(`1 record written to ${topic} again\n`);
  expect(io.err).toBe(`1 record replayed, and failed again: ${reason} (connector sink)\n`);

  const fixed = { ...config, 'value.converter': 'org.apache.kafka.connect.storage.StringConverter' };
  // The earlier task would read the replayed record with its converter, and write another dead letter.
  const starts = (): number => workers.flatMap(({ process }) => process.log().match(/Appending to /g) ?? []).length;
  const before = starts();
  await waitFor(
    'the config to be changed',
    async () => (await one.request('PUT', '/connectors/sink/config', fixed)).status === 200,
  );
  await waitFor('the task with the changed config', async () => await Promise.resolve(starts() > before));
  const gone = { partition: 0, offset: '3' };
  expect(await replay(first, gone)).toEqual([
    { ...first, error: null, failedAgain: null },
    { ...gone, error: expect.stringMatching(/^DLQ_LETTER_GONE: /), failedAgain: null },
  ]);
  const lines = async (): Promise<string> => await readFile(file, 'utf8').catch(() => '');
  let last = '';
  await waitFor('the line', async () => (last = await lines()).includes('not json\n'), {
    timeoutMs: 120_000,
    detail: () => `${last}\n${one.process.log().slice(-4_000)}`,
  });
  expect(two.process.log()).toMatch(
    /\[millrace\.audit\] POST \/ui\/api\/connectors\/sink\/dead-letters\/replay by an unauthenticated caller from \S+ 200/,
  );
});
