import { RetriableError, type SinkRecord } from '@millrace/sdk';
import { KafkaError } from '../../../packages/kafka-client/src/errors';
import { contextHeaders } from '../../../src/tasks/errors/dead-letter-topic';
import { batch, eventually, type World } from '../fakes';
import { ScriptedSink, start, stop } from '../sink/sink-fixture';

describe('dead letters', () => {
  const failing = { 'value.converter': 'org.apache.kafka.connect.json.JsonConverter' };
  const dlq = { 'errors.deadletterqueue.topic.name': 'dead', 'errors.deadletterqueue.topic.replication.factor': '1' };

  test('connect-runtime 98: converter failure: original bytes, headers and timestamp, ten context headers, topic created', async () => {
    const task = new ScriptedSink();
    const running = await start(task, {
      ...dlq,
      'errors.deadletterqueue.context.headers.enable': 'true',
      'errors.tolerance': 'all',
      'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
      'value.converter.schemas.enable': 'false',
    });
    const { consumer, w } = running;
    const bad = batch('t', 1, 42, ['{"a":']);
    consumer.next([
      { ...bad, records: bad.records.map((r) => ({ ...r, headers: [{ key: 'h', value: Buffer.from('x') }] })) },
    ]);
    await eventually(() => w.deadLetters.sent.length === 1);
    await stop(running);
    const sent = w.deadLetters.sent[0];
    expect(w.admin.created).toEqual([{ name: 'dead', partitions: 1, replicationFactor: 1 }]);
    expect([sent?.topic, sent?.key, sent?.value, sent?.timestamp, sent?.partition]).toEqual([
      'dead',
      'k42',
      '{"a":',
      1000,
      undefined,
    ]);
    const names = sent?.headers.map(([key]) => key.replace('__connect.errors.', ''));
    expect(names).toEqual([
      'h',
      'topic',
      'partition',
      'offset',
      'connector.name',
      'task.id',
      'stage',
      'class.name',
      'exception.class.name',
      'exception.message',
      'exception.stacktrace',
    ]);
    const values = sent?.headers.map(([, value]) => value);
    expect(values?.slice(0, 9)).toEqual([
      'x',
      't',
      '1',
      '42',
      'c',
      '0',
      'VALUE_CONVERTER',
      'org.apache.kafka.connect.json.JsonConverter',
      'org.apache.kafka.connect.errors.DataException',
    ]);
    expect(values?.[9]).toContain('is not JSON');
    expect(values?.[10]).toMatch(/^org\.apache\.kafka\.connect\.errors\.DataException: .*\n\tat /);
    expect(consumer.log).toEqual(['commit t-0@0,t-1@43']);
    expect(w.clientConfigs.map((c) => c['client.id'])).toEqual([
      'connector-dlq-producer-c-0',
      'connector-consumer-c-0',
      'connector-dlq-adminclient-',
    ]);
  });

  test('an exception in a header is truncated', () => {
    const error = new Error('x'.repeat(8_000_000), { cause: new Error('y'.repeat(8_000_000)) });
    const failure = { stage: 'TASK_PUT', className: 'org.example.Task', error } as const;
    const headers = contextHeaders(failure, { connector: 'c', task: 0 });
    const [message, trace] = headers.slice(-2).map(({ value }) => String(value)) as [string, string];
    expect(message).toMatch(/^x{2048}… \(7,997,952 more characters\)$/);
    expect(trace).toMatch(/: y+… \(7,997,952 more characters\)\n/);
    expect(trace.length).toBeLessThan(16_500);
  });

  test.each([2 ** 54, -5, NaN])('a record with the invalid timestamp %p is written without one', async (timestamp) => {
    const running = await start(new ScriptedSink(), { ...dlq, 'errors.tolerance': 'all', ...failing });
    const bad = batch('t', 0, 0, ['x']);
    running.consumer.next([{ ...bad, records: bad.records.map((r) => ({ ...r, timestamp })) }]);
    await eventually(() => running.w.deadLetters.sent.length === 1);
    expect(running.w.deadLetters.sent[0]).toMatchObject({ value: 'x', timestamp: null });
    await stop(running);
  });

  test('a record that is too large with the context headers is written without them', async () => {
    const settings = {
      ...dlq,
      'errors.tolerance': 'all',
      'errors.deadletterqueue.context.headers.enable': 'true',
      ...failing,
    };
    const tooLarge = new KafkaError('RECORD_TOO_LARGE_CLIENT', 'A record for dead takes 1,050,000 bytes.');
    const running = await start(new ScriptedSink(), settings, {}, (w) => w.deadLetters.sendErrors.push(tooLarge));
    running.consumer.next([batch('t', 0, 0, ['x'])]);
    await eventually(() => running.w.deadLetters.sent.length === 1);
    expect(running.w.deadLetters.sent[0]).toMatchObject({ value: 'x', headers: [] });
    await stop(running);
  });

  test('also the record that fails the task', async () => {
    const { listener, consumer, w } = await start(new ScriptedSink(), {
      ...dlq,
      'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
    });
    consumer.next([batch('t', 0, 0, ['x'])]);
    await listener.until('failed c-0');
    expect(w.deadLetters.values()).toEqual(['x']);
    expect(w.deadLetters.sent[0]?.headers).toEqual([]);
  });

  test('a topic that cannot be created fails the task', async () => {
    const task = new ScriptedSink();
    const { listener } = await start(
      task,
      dlq,
      {},
      (w) => (w.admin.createError = new KafkaError('INVALID_REPLICATION_FACTOR', 'only 1 broker')),
    );
    await listener.until('failed c-0');
    expect(listener.trace).toContain('The dead letter topic dead could not be created: only 1 broker');
    expect(task.log).toEqual([]);
  });

  test('connect-runtime 99: offsets wait until the report is written', async () => {
    const task = new ScriptedSink();
    const running = await start(
      task,
      { ...dlq, 'errors.tolerance': 'all' },
      {},
      (w) => (w.deadLetters.autoAck = false),
    );
    const { consumer, w } = running;
    task.onPut = (records) =>
      void task.context.errantRecordReporter?.report(records[0] as SinkRecord, new Error('bad row'));
    consumer.next([batch('t', 0, 0, ['a'])]);
    await eventually(() => w.deadLetters.sent.length === 1);
    task.context.requestCommit();
    await eventually(() => task.flushed.length === 1);
    expect(consumer.log).toEqual([]);
    w.deadLetters.sent[0]?.ack();
    await eventually(() => consumer.log.length === 1);
    await stop(running);
    expect(w.deadLetters.values()).toEqual(['a']);
  });

  test('connect-runtime 99: without tolerance the report is written and the task fails, whether it awaited the promise or not', async () => {
    const task = new ScriptedSink();
    const { listener, consumer, w } = await start(task, dlq);
    task.onPut = (records) =>
      void task.context.errantRecordReporter?.report(records[0] as SinkRecord, new Error('bad row'));
    consumer.next([batch('t', 0, 0, ['a'])]);
    await listener.until('failed c-0');
    expect(w.deadLetters.values()).toEqual(['a']);
    expect(listener.trace).toContain('TASK_PUT failed: bad row');
    // It is delivered again after the next start: only earlier records may be committed.
    expect(consumer.commits).toEqual([]);
  });

  test('connect-runtime 99: no reporter without dead letter topic and error log; with the log alone there is one', async () => {
    const none = new ScriptedSink();
    await stop(await start(none));
    expect(none.context.errantRecordReporter).toBeNull();
    const logged = new ScriptedSink();
    const running = await start(logged, {
      'errors.log.enable': 'true',
      'errors.log.include.messages': 'true',
      'errors.tolerance': 'all',
    });
    logged.onPut = (records) =>
      logged.context.errantRecordReporter?.report(records[0] as SinkRecord, new Error('bad row'));
    running.consumer.next([batch('t', 0, 42, ['a'])]);
    await eventually(() => logged.records.length === 1);
    await stop(running);
    expect(running.w.logger.lines).toContain(
      "error Error encountered in task c-0. Executing stage 'TASK_PUT' with class 'org.apache.kafka.connect.sink.SinkTask', where consumed record is {topic='t', partition=0, offset=42, timestamp=1000, timestampType=CreateTime}.",
    );
  });

  const json = {
    'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'value.converter.schemas.enable': 'false',
  };
  const tooLarge = new KafkaError('MESSAGE_TOO_LARGE', 'the record is larger than the topic takes');

  test('connect-runtime 98: a record that cannot be converted is not committed before its dead letter is in the topic', async () => {
    const task = new ScriptedSink();
    const running = await start(
      task,
      { ...dlq, ...json, 'errors.tolerance': 'all' },
      {},
      (w) => (w.deadLetters.autoAck = false),
    );
    const { consumer, w } = running;
    consumer.next([batch('t', 0, 0, ['1', 'bad', '2']), batch('t', 1, 0, ['3'])]);
    await eventually(() => task.records.length === 3);
    task.context.requestCommit();
    await eventually(() => consumer.log.length === 1);
    expect(consumer.log).toEqual(['commit t-0@1,t-1@1']);
    w.deadLetters.sent[0]?.ack();
    await eventually(() => consumer.log.length === 2);
    await stop(running);
    expect(consumer.log).toEqual(['commit t-0@1,t-1@1', 'commit t-0@3,t-1@1']);
  });

  test('connect-runtime 98: stopped while a dead letter is in flight: earlier records are committed, and it is delivered again', async () => {
    const task = new ScriptedSink();
    const running = await start(
      task,
      { ...dlq, ...json, 'errors.tolerance': 'all' },
      {},
      (w) => (w.deadLetters.autoAck = false),
    );
    running.consumer.next([batch('t', 0, 0, ['1', 'bad', '2'])]);
    await eventually(() => task.records.length === 2);
    await stop(running);
    expect(running.consumer.log).toEqual(['commit t-0@1,t-1@0']);
    expect(running.w.logger.lines).toContain(
      'warn The task stopped before 1 failed records were written to the dead letter topic dead: they will be delivered again',
    );
    expect(running.listener.events).toEqual(['running c-0', 'stopped c-0']);
  });

  test('cancelled while put waits for its report: the wait ends, and nothing is committed', async () => {
    const task = new ScriptedSink();
    const running = await start(
      task,
      { ...dlq, 'errors.tolerance': 'all' },
      {},
      (w) => (w.deadLetters.autoAck = false),
    );
    task.onPut = (records) => task.context.errantRecordReporter?.report(records[0] as SinkRecord, new Error('bad row'));
    running.consumer.next([batch('t', 0, 0, ['a'])]);
    await eventually(() => running.w.deadLetters.sent.length === 1);
    running.runner.stop();
    running.runner.cancel();
    await running.runner.done;
    expect(running.consumer.log).toEqual([]);
    expect(running.listener.events).toEqual(['running c-0']);
  });

  test('a dead letter topic that is unavailable: nothing more is consumed, membership continues, and consumption resumes afterwards', async () => {
    const task = new ScriptedSink();
    let open = (): void => undefined;
    const running = await start(task, { ...dlq, ...json, 'errors.tolerance': 'all' }, {}, (w) => {
      w.deadLetters.full = new Promise((resolve) => (open = resolve));
    });
    const { consumer, w } = running;
    consumer.next([batch('t', 0, 0, ['1', 'bad', 'bad'])]);
    await eventually(() => task.records.length === 1);
    await eventually(() => consumer.paused.size === 2);
    const polls = consumer.pollTimeouts.length;
    task.context.requestCommit();
    consumer.wakeup();
    await eventually(() => consumer.log.length === 1 && consumer.pollTimeouts.length > polls);
    expect(w.deadLetters.sent).toEqual([]);
    w.deadLetters.full = null;
    open();
    await eventually(() => consumer.paused.size === 0 && consumer.log.length === 2);
    await stop(running);
    expect(w.deadLetters.values()).toEqual(['bad', 'bad']);
    expect(consumer.log).toEqual(['commit t-0@1,t-1@0', 'commit t-0@3,t-1@0']);
  });

  test('a batch that is put again and reported again waits for its previous dead letters', async () => {
    const task = new ScriptedSink();
    let open = (): void => undefined;
    const running = await start(task, { ...dlq, 'errors.tolerance': 'all' }, {}, (w) => {
      w.deadLetters.full = new Promise((resolve) => (open = resolve));
    });
    let busy = true;
    task.onPut = (records) => {
      void task.context.errantRecordReporter?.report(records[0] as SinkRecord, new Error('bad row'));
      task.context.timeout(0);
      if (busy) throw new RetriableError('busy');
    };
    const { consumer, w } = running;
    consumer.next([batch('t', 0, 0, ['a'])]);
    await eventually(() => task.puts.length === 1);
    const polls = consumer.pollTimeouts.length;
    await eventually(() => consumer.pollTimeouts.length > polls);
    consumer.wakeup();
    await eventually(() => consumer.pollTimeouts.length > polls + 1);
    expect(task.puts).toEqual([['a']]);
    busy = false;
    w.deadLetters.full = null;
    open();
    await eventually(() => task.records.length === 1);
    await stop(running);
    expect(w.deadLetters.values()).toEqual(['a', 'a']);
    expect(consumer.log).toEqual(['commit t-0@1,t-1@0']);
  });

  describe('a dead letter that Kafka rejects fails the task, and its record is not committed', () => {
    const refused = (w: World, how: string): void => {
      if (how === 'thrown by send') w.deadLetters.sendErrors = [tooLarge];
      else {
        w.deadLetters.autoAck = false;
        w.deadLetters.onSend = (sent) => void setImmediate(() => sent.fail(tooLarge));
      }
    };
    const message =
      'A failed record could not be written to the dead letter topic dead: the record is larger than the topic takes. Its offset is not committed. ' +
      'Allow the write (ACLs), raise max.message.bytes or producer.override.max.request.size, or remove errors.deadletterqueue.topic.name.';

    test.each(['thrown by send', 'answered later'])('of a converter, %s', async (how) => {
      const { listener, consumer } = await start(
        new ScriptedSink(),
        { ...dlq, ...json, 'errors.tolerance': 'all' },
        {},
        (w) => refused(w, how),
      );
      consumer.next([batch('t', 0, 0, ['1', 'bad', '2'])]);
      await listener.until('failed c-0');
      expect(listener.trace.split('\n')[0]).toBe(
        `org.apache.kafka.connect.errors.ConnectException: ${message} [code: DLQ_WRITE, topic: t, partition: 0, offset: 1]`,
      );
      expect(listener.retriable).toBe(false);
      expect(consumer.commits.flat().filter(({ partition, offset }) => partition === 0 && offset > 1)).toEqual([]);
    });

    test.each(['thrown by send', 'answered later'])('connect-runtime 99: of a put, %s', async (how) => {
      const task = new ScriptedSink();
      const { listener, consumer } = await start(task, { ...dlq, 'errors.tolerance': 'all' }, {}, (w) =>
        refused(w, how),
      );
      task.onPut = (records) =>
        void task.context.errantRecordReporter?.report(records[1] as SinkRecord, new Error('bad row'));
      consumer.next([batch('t', 0, 0, ['a', 'b', 'c'])]);
      await listener.until('failed c-0');
      expect(listener.trace).toContain(`${message} [code: DLQ_WRITE, topic: t, partition: 0, offset: 1]`);
      expect(consumer.commits.flat().filter(({ partition, offset }) => partition === 0 && offset > 1)).toEqual([]);
    });

    test('its topic is missing: the restarted task creates it again', async () => {
      const gone = new KafkaError('UNKNOWN_TOPIC_OR_PARTITION', 'no such topic', { retriable: true });
      const { listener, consumer } = await start(
        new ScriptedSink(),
        { ...dlq, ...json, 'errors.tolerance': 'all' },
        {},
        (w) => (w.deadLetters.prepareErrors = [gone]),
      );
      consumer.next([batch('t', 0, 0, ['bad'])]);
      await listener.until('failed c-0');
      expect(listener.trace).toContain('dead letter topic dead: no such topic.');
      expect(listener.retriable).toBe(true);
    });
  });

  test('connect-runtime 99: records reported in flush: its commit stops before them', async () => {
    const task = new ScriptedSink();
    const running = await start(
      task,
      { ...dlq, 'errors.tolerance': 'all' },
      {},
      (w) => (w.deadLetters.autoAck = false),
    );
    const { consumer, w } = running;
    task.flush = () => {
      const bad = task.records[1];
      if (bad && w.deadLetters.sent.length === 0)
        void task.context.errantRecordReporter?.report(bad, new Error('bad row'));
    };
    consumer.next([batch('t', 0, 0, ['a', 'b', 'c'])]);
    await eventually(() => task.records.length === 3);
    task.context.requestCommit();
    await eventually(() => consumer.log.length === 1);
    w.deadLetters.sent[0]?.ack();
    await eventually(() => consumer.log.length === 2);
    await stop(running);
    expect(consumer.log).toEqual(['commit t-0@1,t-1@0', 'commit t-0@3,t-1@0']);
  });

  test('Kafka unreachable when the task starts: the task waits, as for its consumer, and needs no restart', async () => {
    const away = (): KafkaError => new KafkaError('CONNECTION_FAILED', 'no broker', { retriable: true });
    const task = new ScriptedSink();
    const running = await start(task, dlq, {}, (w) => {
      w.admin.describeErrors = [away()];
      w.deadLetters.connectErrors = [away()];
    });
    await stop(running);
    expect(running.listener.events).toEqual(['running c-0', 'stopped c-0']);
    expect(running.w.admin.created.map(({ name }) => name)).toEqual(['dead']);
    expect(running.w.logger.lines.filter((line) => line.includes('no broker'))).toHaveLength(2);
  });
});
