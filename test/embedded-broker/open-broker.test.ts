/** Which process hosts the broker, which ones join it, and which ones fail. */
import type { BrokerThread, InUse } from '../../src/embedded-broker/start-broker-thread';
import { openBroker } from '../../src/embedded-broker/open-broker';
import { silentLogger, type Logger } from '../../src/logging/logger';

const RUNNING = { pid: 7, bootstrapServers: '127.0.0.1:9092', clusterId: 'c' };
const HOSTED: BrokerThread = {
  bootstrapServers: '127.0.0.1:1',
  ended: new Promise(() => undefined),
  stop: async () => undefined,
};

function opening(answers: (BrokerThread | InUse)[], cluster: (string | null)[] = [], timeoutMs = 60_000) {
  const lines: string[] = [];
  const note = (line: string): void => void lines.push(line);
  const logger: Logger = { ...silentLogger, info: note, warn: note };
  const stopping = new AbortController();
  const opened = openBroker({
    dataDir: '/d',
    host: async () => answers.shift() as BrokerThread | InUse,
    clusterIdAt: async () => cluster.shift() ?? null,
    logger,
    signal: stopping.signal,
    timeoutMs,
  });
  return { opened, lines, stopping };
}

test('the first process hosts the broker and logs what it is, where it is and where its data is', async () => {
  const { opened, lines } = opening([HOSTED]);
  expect(await opened).toEqual({ ...HOSTED, isHosted: true });
  expect(lines).toEqual([
    'Started an embedded broker on 127.0.0.1:1 with data folder /d. It is for first runs and tests on one machine; use Apache Kafka in production.',
  ]);
});

test('a second process joins the first one’s broker, and does not stop it when it ends', async () => {
  const { opened, lines } = opening([{ inUseBy: RUNNING }], ['c']);
  const broker = await opened;
  expect(broker).toMatchObject({ bootstrapServers: '127.0.0.1:9092', isHosted: false });
  await broker.stop();
  expect(lines).toEqual([expect.stringMatching(/of process 7 on 127\.0\.0\.1:9092 .*\/d/)]);
});

test('a starting broker is awaited', async () => {
  const { opened, lines } = opening([{ inUseBy: null }, { inUseBy: RUNNING }, { inUseBy: RUNNING }], [null, 'c']);
  expect((await opened).bootstrapServers).toBe('127.0.0.1:9092');
  expect(lines[0]).toBe('Another process owns the data folder /d, waiting for its broker');
  expect(lines).toHaveLength(2);
});

test('when the other process ends meanwhile, its folder is taken over', async () => {
  const { opened } = opening([{ inUseBy: RUNNING }, HOSTED], [null]);
  expect(await opened).toEqual({ ...HOSTED, isHosted: true });
});

test('another broker at that address is not joined; after a timeout the error names the process in the way', async () => {
  const foreign = opening([{ inUseBy: RUNNING }], ['another cluster'], 0);
  await expect(foreign.opened).rejects.toMatchObject({
    code: 'EMBEDDED_BROKER_SILENT',
    message:
      'The data folder /d is in use by process 7, whose broker does not respond on 127.0.0.1:9092. Stop that process, or choose another folder with --data-dir or embedded.data.dir.',
  });
  const unknown = opening([{ inUseBy: null }], [], 0);
  await expect(unknown.opened).rejects.toThrow(/in use by another process, which has not published its address/);
});

test('a worker that is stopped does not continue to wait', async () => {
  const { opened, stopping } = opening([{ inUseBy: RUNNING }]);
  stopping.abort();
  await expect(opened).rejects.toMatchObject({ name: 'AbortError' });
});
