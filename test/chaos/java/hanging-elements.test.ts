/**
 * Transformations, predicates and converters of a jar that do not return, in chains of Node.js tasks: the tasks wait,
 * as in Java, but health, log and watchdog say for what, and they stop at once.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtJavaHost } from '../../../dev/services/java-host';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { childrenOf } from '../../helpers/child-processes';
import { compilePlugin, type CompiledPlugin } from '../../helpers/compiled-plugin';
import { describeWithKafka } from '../../helpers/java';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const STRING = 'org.apache.kafka.connect.storage.StringConverter';
const STEP = 'hanging.Elements$Step';

interface Reason {
  readonly code: string;
  readonly message: string;
  readonly since: number | null;
}

describeWithKafka('elements of a jar that hang', () => {
  let plugin: CompiledPlugin;
  let clients: Clients;
  let folder: string;
  let worker: StartedWorker;

  const detail = (): string => worker.process.log().slice(-6000);
  const jvms = (): number[] => childrenOf(worker.pid, 'java');
  const file = (name: string, ending: string): string => join(folder, `${name}.${ending}`);
  const hangs = (name: string): Promise<void> => writeFile(file(name, 'hang'), '');
  const line = (name: string, text: string): Promise<void> => writeFile(file(name, 'txt'), `${text}\n`, { flag: 'a' });
  const reasons = async (name: string): Promise<readonly Reason[]> =>
    ((await worker.request('GET', `/connectors/${name}/health`)).json as { reasons?: Reason[] }).reasons ?? [];
  const waits = (name: string, call: string): Promise<Reason> =>
    waitFor(
      `${name} to wait`,
      async () => (await reasons(name)).find(({ message }) => message.includes(call)) ?? null,
      { timeoutMs: 60_000, detail },
    );

  /** A source of the lines of its file. */
  async function source(name: string, more: Record<string, string>): Promise<string> {
    const topic = await clients.topic(1, {}, `${uniqueName('hang')}-${name}`);
    await line(name, 'one');
    await worker.register({
      name,
      config: {
        'connector.class': 'FileStreamSource',
        file: file(name, 'txt'),
        topic,
        'key.converter': STRING,
        'value.converter': STRING,
        ...more,
      },
    });
    await worker.running(name);
    return topic;
  }
  const end = async (topic: string): Promise<number> =>
    (await clients.admin.listOffsets([{ topic, partition: 0 }], 'latest'))[0]?.offset ?? 0;
  const has = (topic: string, count: number): Promise<unknown> =>
    waitFor(`${count} records`, async () => (await end(topic)) === count, { timeoutMs: 60_000, detail });
  const remove = async (name: string): Promise<void> => {
    const answer = await waitFor(
      `${name} to be deleted`,
      async () => {
        const now = await worker.request('DELETE', `/connectors/${name}`);
        return now.status !== 409 && now;
      },
      { timeoutMs: 40_000, detail },
    );
    expect([name, answer.status]).toEqual([name, 204]);
  };
  const step = (name: string): Record<string, string> => ({
    transforms: 'lookup',
    'transforms.lookup.type': STEP,
    'transforms.lookup.hang.file': file(name, 'hang'),
  });

  beforeAll(async () => {
    await builtJavaHost();
    plugin = await compilePlugin('hanging', [join(__dirname, 'hanging', 'Elements.java')], {
      'org.apache.kafka.connect.transforms.Transformation': [STEP],
      'org.apache.kafka.connect.transforms.predicates.Predicate': ['hanging.Elements$Test'],
      'org.apache.kafka.connect.storage.Converter': ['hanging.Elements$Text'],
      'org.apache.kafka.connect.storage.HeaderConverter': ['hanging.Elements$Headers'],
    });
    folder = await mkdtemp(join(tmpdir(), 'millrace-hanging-'));
    clients = new Clients();
    worker = await startWorker({
      group: uniqueName('hanging'),
      settings: {
        'plugin.path': plugin.pluginPath,
        'offset.flush.interval.ms': '500',
        'jvm.idle.timeout.ms': '1000',
        'watchdog.task.ms': '8000',
      },
    });
    await worker.ready();
  });
  afterAll(async () => {
    await worker?.stop();
    await clients?.close();
    await plugin?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  test('lines of the JVM have the names of the connector and the task', async () => {
    const topic = await source('named', {
      ...step('named'),
      'value.converter': 'hanging.Elements$Text',
    });
    await has(topic, 1);
    for (const call of ['apply', 'fromConnectData']) {
      const found = await waitFor(`the line of ${call}`, () =>
        worker.process
          .log()
          .split('\n')
          .find((one) => one.includes(`${call} was called`)),
      );
      expect(found).toMatch(/hanging\.Elements/);
      expect(found).toMatch(/connector[=":]+named/);
      expect(found).toMatch(/task[=":]+0/);
    }
    await remove('named');
  });

  test('health, log and watchdog name the call; pause, stop and delete act at once, and neighbours go on', async () => {
    const neighbour = await source('neighbour', step('neighbour'));
    const cases: readonly (readonly [string, string, Record<string, string>])[] = [
      ['step', `apply() of ${STEP} (lookup)`, step('step')],
      [
        'test',
        'test() of hanging.Elements$Test (ours)',
        {
          transforms: 'hoist',
          'transforms.hoist.type': 'org.apache.kafka.connect.transforms.HoistField$Value',
          'transforms.hoist.field': 'f',
          'transforms.hoist.predicate': 'ours',
          predicates: 'ours',
          'predicates.ours.type': 'hanging.Elements$Test',
          'predicates.ours.hang.file': file('test', 'hang'),
        },
      ],
      [
        'text',
        'fromConnectData() of hanging.Elements$Text',
        { 'value.converter': 'hanging.Elements$Text', 'value.converter.hang.file': file('text', 'hang') },
      ],
      [
        'headers',
        'fromConnectHeader() of hanging.Elements$Headers',
        {
          'header.converter': 'hanging.Elements$Headers',
          'header.converter.hang.file': file('headers', 'hang'),
          transforms: 'insert',
          'transforms.insert.type': 'org.apache.kafka.connect.transforms.InsertHeader',
          'transforms.insert.header': 'h',
          'transforms.insert.value.literal': 'x',
        },
      ],
    ];
    const begun = Date.now();
    await Promise.all(
      cases.map(async ([name, , config]) => {
        await hangs(name);
        await source(name, config);
      }),
    );
    for (const [name, call] of cases) {
      const reason = await waits(name, call);
      expect(reason).toMatchObject({ code: 'HEALTH_RETRYING', task: 0 });
      expect(reason.message).toBe(`Task 0 waits: ${call} has not returned: the task waits for it.`);
      expect(reason.since).toBeGreaterThanOrEqual(begun - 1000);
      expect((await worker.status(name)).tasks[0]?.state).toBe('RUNNING');
    }
    await waitFor('the watchdog', () => worker.process.log().includes('Task step-0: a call of its transformation'), {
      timeoutMs: 60_000,
      detail,
    });
    expect((await worker.request('GET', '/health')).body).toContain('Task step-0');
    await line('neighbour', 'two');
    await has(neighbour, 2);

    await worker.request('PUT', '/connectors/step/pause');
    await worker.statusWhen('step', ({ tasks }) => tasks[0]?.state === 'PAUSED');
    await worker.request('PUT', '/connectors/test/stop');
    await worker.statusWhen('test', ({ connector, tasks }) => connector.state === 'STOPPED' && tasks.length === 0);
    expect((await worker.request('POST', '/connectors/text/restart?includeTasks=true')).status).toBeLessThan(300);
    await waits('text', 'fromConnectData() of hanging.Elements$Text');
    await remove('headers');
    await line('neighbour', 'three');
    await has(neighbour, 3);

    // The JVM gets no new work, and ends with its last session.
    await waitFor('the threads that hang', () => /does not end|do not end/.test(worker.process.log()), {
      timeoutMs: 60_000,
      detail,
    });
    const [old] = jvms();
    const fresh = await source('fresh', step('fresh'));
    await has(fresh, 1);
    expect(jvms()).toHaveLength(2);
    for (const name of ['step', 'test', 'text', 'neighbour']) await remove(name);
    await waitFor('the first JVM to end', () => !jvms().includes(old as number), { timeoutMs: 60_000, detail });
    await line('fresh', 'two');
    await has(fresh, 2);
    await remove('fresh');
  });

  test('a call that returns at last: nothing is lost, and health has no remark', async () => {
    const topic = await clients.topic();
    const [input, output] = ['late-in', 'late-out'];
    await hangs(output);
    await line(input, 'one');
    await worker.register({
      name: input,
      config: { 'connector.class': 'FileStreamSource', file: file(input, 'txt'), topic, 'value.converter': STRING },
    });
    await worker.register({
      name: output,
      config: {
        'connector.class': 'FileStreamSink',
        file: file(output, 'txt'),
        topics: topic,
        'value.converter': STRING,
        ...step(output),
      },
    });
    await waits(output, `apply() of ${STEP} (lookup)`);
    // A sink polls meanwhile, and consumes the record again: it gets the answer of the call that it waits for.
    await waitFor('the watchdog', () => worker.process.log().includes(`Task ${output}-0: a call of its`), {
      timeoutMs: 60_000,
      detail,
    });
    expect(existsSync(file(output, 'txt'))).toBe(true);
    await line(input, 'two');
    await rm(file(output, 'hang'));
    await waitFor('the lines', async () => (await readFile(file(output, 'txt'), 'utf8')) === 'one\ntwo\n', {
      timeoutMs: 60_000,
      detail,
    });
    await waitFor('health', async () => (await reasons(output)).length === 0, { timeoutMs: 60_000, detail });
    await Promise.all([input, output].map(remove));
  });

  test('with watchdog.task.action=restart the task is restarted, as with a poll that hangs', async () => {
    await hangs('again');
    const topic = await source('again', { ...step('again'), 'watchdog.task.action': 'restart' });
    await waitFor('the restart', () => /TASK_STUCK|the task was ended/.test(worker.process.log()), {
      timeoutMs: 90_000,
      detail,
    });
    await rm(file('again', 'hang'));
    await has(topic, 1);
    await remove('again');
  });
});
