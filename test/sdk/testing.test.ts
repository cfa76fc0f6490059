import {
  RetriableError,
  schema,
  structSchema,
  type SinkTask,
  type SourceConnector,
  type SourceRecord,
  type SourceTask,
  type SourceTaskContext,
} from '../../packages/sdk/src';
import { checkConfig, MemoryOffsets, runSourceTask, SinkTaskHarness } from '../../packages/sdk/src/testing';

const value = structSchema([['n', schema('INT32')]]);
function record(n: number, over: Partial<SourceRecord> = {}): SourceRecord {
  return {
    sourcePartition: { p: 1 },
    sourceOffset: { n },
    topic: 't',
    keySchema: null,
    key: null,
    valueSchema: value,
    value: { n },
    ...over,
  };
}
function source(
  polls: (readonly SourceRecord[] | null | Error)[],
  over: Partial<SourceTask> = {},
): SourceConnector & { log: string[] } {
  const log: string[] = [];
  return {
    log,
    type: 'source',
    config: [],
    createTask: () => ({
      start: () => void log.push('start'),
      poll: async () => {
        const next = polls.shift() ?? null;
        if (next instanceof Error) throw next;
        return next;
      },
      commit: (offsets) => void log.push(`commit ${JSON.stringify([...offsets.values()])}`),
      stop: () => void log.push('stop'),
      ...over,
    }),
  };
}

describe('runSourceTask', () => {
  test('polls until there is nothing, commits, stops', async () => {
    const connector = source([[record(1)], new RetriableError('busy'), [record(2)], null], {});
    const run = await runSourceTask(connector, {}, { until: 2 });
    expect(run.records.map((r) => r.value)).toEqual([{ n: 1 }, { n: 2 }]);
    expect(connector.log).toEqual(['start', 'commit [{"n":2}]', 'stop']);
    expect(run.offsets.get({ p: 1 })).toEqual({ n: 2 });
    expect((await runSourceTask(source([[record(1)], [record(2)], null]), {})).records).toHaveLength(2);
  });

  test('an offset without a record is stored after the records before it', async () => {
    const connector = source([], {
      start: async (_config, context) => await context.storeOffset({ p: 1 }, { n: 7 }),
    });
    const run = await runSourceTask(connector, {});
    expect(run.offsets.get({ p: 1 })).toEqual({ n: 7 });
    expect(connector.log).toEqual(['commit [{"n":7}]', 'commit []', 'stop']);
  });

  test('a crash: only offsets of the acknowledged records, no further call of the task', async () => {
    const connector = source([[record(1), record(2), record(3)]]);
    const run = await runSourceTask(connector, {}, { until: 3, crashAfter: 2 });
    expect(run.offsets.get({ p: 1 })).toEqual({ n: 2 });
    expect(connector.log).toEqual(['start']);
  });

  test('a preview: nothing is committed or stored, and the contexts say so', async () => {
    const seen: unknown[] = [];
    const polls = [[record(1)], [record(2)]];
    const connector: SourceConnector = {
      type: 'source',
      config: [],
      create: (config, context) => {
        seen.push(context.preview);
        return { taskConfigs: () => [config] };
      },
      createTask: () => {
        let offsets: SourceTaskContext['offsets'];
        return {
          start: async (_config, context) => {
            ({ offsets } = context);
            seen.push(context.preview);
            await context.storeOffset({ p: 1 }, { n: 0 });
          },
          poll: async () => {
            seen.push(await offsets.offset({ p: 1 }));
            return polls.shift() ?? null;
          },
          commit: () => void seen.push('commit'),
          commitRecord: () => void seen.push('commitRecord'),
          stop: () => void seen.push('stop'),
        };
      },
    };
    const offsets = new MemoryOffsets([[{ p: 1 }, { n: -1 }]]);
    const run = await runSourceTask(connector, {}, { preview: true, offsets, until: 2, exactlyOnce: 'poll' });
    expect(run.records.map(({ value }) => value)).toEqual([{ n: 1 }, { n: 2 }]);
    expect(seen).toEqual([true, true, { n: 0 }, { n: 0 }, 'stop']);
    expect(offsets.get({ p: 1 })).toEqual({ n: -1 });
    expect(run.offsets).toBe(offsets);
  });

  test('exactly once: each poll is a transaction', async () => {
    const connector = source([[record(1), record(2)], [record(3)], null]);
    const run = await runSourceTask(connector, {}, { exactlyOnce: 'poll' });
    expect(run.transactions.map(({ records, outcome }) => [records.length, outcome])).toEqual([
      [2, 'committed'],
      [1, 'committed'],
    ]);
    expect(connector.log).toEqual(['start', 'commit [{"n":2}]', 'commit [{"n":3}]', 'stop']);
  });

  test('exactly once: the task commits and aborts its own transactions', async () => {
    const [one, two, three, four] = [record(1), record(2), record(3), record(4)];
    let context: SourceTaskContext;
    const polls = [[one, two, three], [four], null];
    const connector = source([], {
      start: (_config, given) => void (context = given),
      poll: async () => {
        context.transactionContext?.commitTransaction(one);
        context.transactionContext?.abortTransaction(three);
        return polls.shift() ?? null;
      },
    });
    const run = await runSourceTask(connector, {}, { exactlyOnce: 'connector' });
    expect(run.transactions.map(({ records, outcome }) => [records.map((r) => r.value), outcome])).toEqual([
      [[{ n: 1 }], 'committed'],
      [[{ n: 2 }, { n: 3 }], 'aborted'],
      [[{ n: 4 }], 'open'],
    ]);
    // Also after an abort, so that the records are not read again.
    expect(run.offsets.get({ p: 1 })).toEqual({ n: 3 });
  });

  test('exactly once: a crash loses the open transaction', async () => {
    const connector = source([[record(1)], [record(2), record(3)], null]);
    const run = await runSourceTask(connector, {}, { exactlyOnce: 'poll', crashAfter: 2 });
    expect(run.transactions.map(({ outcome }) => outcome)).toEqual(['committed', 'open']);
    expect(run.offsets.get({ p: 1 })).toEqual({ n: 1 });
  });

  test('exactly once: a commit and an abort of the same batch contradict', async () => {
    const connector = source([[record(1)]], {
      start: (_config, context) => {
        context.transactionContext?.commitTransaction();
        context.transactionContext?.abortTransaction();
      },
    });
    await expect(runSourceTask(connector, {}, { exactlyOnce: 'connector' })).rejects.toMatchObject({
      code: 'TRANSACTION_REQUESTS_CONFLICT',
    });
  });

  test.each<[string, SourceRecord, string]>([
    [
      'a value that does not fit',
      record(1, { value: { n: 'x' } }),
      'record 0 (topic t): value, field "n": its schema is INT32 but the value is a string',
    ],
    ['no topic', record(1, { topic: '' }), 'topic must be a non-empty string'],
    [
      'an offset that cannot be stored',
      record(1, { sourceOffset: { n: [1] as never } }),
      'member "n" of sourceOffset is an array, which is not a primitive value',
    ],
    ['a timestamp', record(1, { timestamp: -5 }), 'timestamp -5 is invalid'],
    ['a missing schema', { ...record(1), keySchema: undefined as never }, 'keySchema is missing'],
  ])('reports %s', async (_name, bad, text) => {
    const connector = source([[bad]]);
    await expect(runSourceTask(connector, {}, { until: 1 })).rejects.toThrow(text);
    expect(connector.log).toContain('stop');
  });

  test('a timeout reports the progress', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    try {
      let polls = 0;
      let polledAgain = (): void => undefined;
      const again = new Promise<void>((resolve) => (polledAgain = resolve));
      const poll = async (): Promise<SourceRecord[]> => {
        if (++polls === 1) return [record(1)];
        polledAgain();
        return [];
      };
      const run = runSourceTask(source([], { poll }), {}, { until: 2, timeoutMs: 30 });
      const failed = expect(run).rejects.toThrow('the task did not deliver enough in 30 ms: 1 record(s) so far');
      await again;
      jest.advanceTimersByTime(30);
      await failed;
    } finally {
      jest.useRealTimers();
    }
  });

  test('an error of the task is the error of the run', async () => {
    await expect(runSourceTask(source([new Error('boom')]), {})).rejects.toThrow('boom');
  });

  test('task configurations come from the connector', async () => {
    let given: unknown;
    const connector: SourceConnector = {
      ...source([null], { start: (config) => void (given = config) }),
      create: () => ({ taskConfigs: (max) => Array.from({ length: max }, (_, i) => ({ part: String(i) })) }),
    };
    await runSourceTask(connector, { 'tasks.max': '2' }, { task: 1 });
    expect(given).toEqual({ part: '1' });
    await expect(runSourceTask(connector, {}, { task: 1 })).rejects.toThrow('there is no task 1');
  });
});

test('MemoryOffsets keeps what JSON keeps', async () => {
  const offsets = new MemoryOffsets([
    [
      { a: 1, b: 'x' },
      { position: 5n, raw: Buffer.from('hi'), big: 2n ** 60n },
    ],
  ]);
  expect(await offsets.offset({ b: 'x', a: 1 })).toEqual({ position: 5, raw: 'aGk=', big: 2n ** 60n });
  offsets.write({ a: 1, b: 'x' }, null);
  expect(await offsets.offsets([{ a: 1, b: 'x' }])).toEqual([null]);
});

describe('checkConfig', () => {
  const connector: SourceConnector = {
    ...source([]),
    config: [
      {
        name: 'a',
        type: 'INT',
        importance: 'HIGH',
        documentation: '',
        validator: (v) => (v === null ? 'Value must be non-null' : null),
      },
      { name: 'flag', type: 'BOOLEAN', default: false, importance: 'LOW', documentation: '' },
      {
        name: 'secret',
        type: 'PASSWORD',
        default: null,
        importance: 'LOW',
        documentation: '',
        validator: (v) => (v === 'x' ? 'too short' : null),
      },
    ],
    validate: (config) => (config.a === '7' ? [{ key: 'a', message: 'seven is taken' }] : []),
  };
  const messages = async (config: Record<string, string>): Promise<string[]> =>
    (await checkConfig(connector, config)).map((p) => p.message);

  test('as in a worker', async () => {
    expect(await messages({ a: '1', flag: 'TRUE' })).toEqual([]);
    expect(await messages({})).toEqual([
      'Missing required configuration "a" which has no default value.',
      'Invalid value null for configuration a: Value must be non-null',
    ]);
    expect(await messages({ a: 'x' })).toContain('Invalid value x for configuration a: Not a number of type INT');
    expect(await messages({ a: '1', flag: 'yes' })).toEqual([
      'Invalid value yes for configuration flag: Expected value to be either true or false',
    ]);
    expect(await messages({ a: '1', secret: 'x' })).toEqual([
      'Invalid value [hidden] for configuration secret: too short',
    ]);
    expect(await messages({ a: '7' })).toEqual(['seven is taken']);
  });
});

describe('SinkTaskHarness', () => {
  function sink(over: Partial<SinkTask>): { type: 'sink'; config: []; createTask: () => SinkTask } {
    return {
      type: 'sink',
      config: [],
      createTask: () => ({ start: () => undefined, put: () => undefined, stop: () => undefined, ...over }),
    };
  }

  test('offsets, redelivery, errant records, requests', async () => {
    const log: string[] = [];
    let busy = true;
    const harness = await SinkTaskHarness.start(
      sink({
        open: (p) => void log.push(`open ${p.length}`),
        close: (p) => void log.push(`close ${p.length}`),
        put: (records) => {
          if (busy) throw new RetriableError('busy');
          log.push(`put ${records.map((r) => r.offset).join()}`);
          if (records[0]) void harness.context.errantRecordReporter?.report(records[0], new Error('bad'));
          harness.context.pause([{ topic: 'x', partition: 0 }]);
          harness.context.timeout(7);
          harness.context.requestCommit();
        },
        flush: () => void log.push('flush'),
        stop: () => void log.push('stop'),
      }),
      { topics: 'x,y' },
    );
    await expect(harness.put([{ value: 1 }, { value: 2 }])).rejects.toThrow('busy');
    await harness.commit();
    expect(harness.committed()).toBeNull();
    busy = false;
    await harness.redeliver();
    expect([harness.errantRecords.length, harness.requestedTimeout, harness.commitRequested]).toEqual([1, 7, true]);
    expect(harness.pausedPartitions()).toEqual([{ topic: 'x', partition: 0 }]);
    await harness.commit();
    expect(harness.committed()).toBe(2);
    await harness.put([{ value: 3 }]);
    await harness.stop();
    expect(harness.committed()).toBe(3);
    expect(log).toEqual(['open 1', 'put 0,1', 'flush', 'put 2', 'flush', 'close 1', 'stop']);
  });

  test('preCommit beyond the delivered offsets is an error; lost partitions are not committed', async () => {
    const harness = await SinkTaskHarness.start(
      sink({ preCommit: (offsets) => offsets.map((o) => ({ ...o, offset: o.offset + 1 })) }),
      {},
      { errantRecords: false },
    );
    expect(harness.context.errantRecordReporter).toBeNull();
    await harness.put([{ value: 1 }]);
    await expect(harness.commit()).rejects.toThrow('commits offset 2 of test-0, but only 1 was processed');
    await harness.lose([{ topic: 'test', partition: 0 }]);
    await harness.stop();
    expect(harness.committed()).toBeNull();
  });
});
