import type {
  ConnectorConfig,
  ConnectRecord,
  PredicatePlugin,
  Transformation,
  TransformationContext,
  TransformationPlugin,
} from '@millrace/sdk';
import { MemoryLogger, runPredicate, runTransformation } from '@millrace/sdk/testing';

const KEY = { name: 'text', type: 'STRING', importance: 'HIGH', documentation: 'x' } as const;
let closed = 0;
beforeEach(() => (closed = 0));
function transformation(apply: (record: ConnectRecord, text: string) => unknown): TransformationPlugin {
  return {
    type: 'transformation',
    config: [KEY],
    create: () => {
      let text = '';
      return {
        configure: (config) => void (text = config.text ?? ''),
        apply: <R extends ConnectRecord>(record: R) => apply(record, text) as R,
        close: () => void closed++,
      };
    },
  };
}

test('records are completed, transformed one by one, and dropped ones are null', async () => {
  const plugin = transformation((record, text) => (record.value === 1 ? null : { ...record, topic: text }));
  const records = await runTransformation(plugin, { text: 'to' }, [{ value: 1 }, { value: 2, topic: 'from' }]);
  expect(records).toEqual([
    null,
    expect.objectContaining({ topic: 'to', originalTopic: 'from', partition: 0, originalOffset: 1, value: 2 }),
  ]);
  expect(closed).toBe(1);
});

/** Written before `configure` had a second parameter. */
class WithoutContext implements Transformation {
  protected text = '';
  configure(config: ConnectorConfig): void {
    this.text = config.text ?? '';
  }
  apply<R extends ConnectRecord>(record: R): R {
    return { ...record, topic: this.text };
  }
}
class WithContext extends WithoutContext {
  override configure(config: ConnectorConfig, context?: TransformationContext): void {
    super.configure(config);
    context?.logger.warn(`Routing to ${this.text}.`);
  }
}

test.each([
  ['a plugin without the context of configure stays valid', () => new WithoutContext(), []],
  ['a plugin logs with the logger of its context', () => new WithContext(), ['warn Routing to x.']],
] as const)('%s', async (_what, create, lines) => {
  const logger = new MemoryLogger();
  const plugin: TransformationPlugin = { type: 'transformation', config: [KEY], create };
  const [record] = await runTransformation(plugin, { text: 'x' }, [{ value: 1 }], logger);
  expect(record?.topic).toBe('x');
  expect(logger.lines).toEqual(lines);
});

test('settings that a worker rejects are rejected, and errors of apply are thrown', async () => {
  const plugin = transformation(() => {
    throw new Error('bad record');
  });
  await expect(runTransformation(plugin, {}, [])).rejects.toThrow('Missing required configuration "text"');
  await expect(runTransformation(plugin, { text: 'x' }, [{ value: 1 }])).rejects.toThrow('bad record');
  expect(closed).toBe(1);
});

test.each<[string, (record: ConnectRecord) => void]>([
  ['the record', (record) => void ((record as { topic: string }).topic = 'x')],
  ['its value', (record) => void ((record.value as { a: { b: number } }).a.b = 2)],
  ['its headers', (record) => void (record.headers as unknown[]).push(1)],
])('a transformation that changes %s in place is detected', async (_what, change) => {
  const plugin = transformation((record) => {
    change(record);
    return record;
  });
  await expect(runTransformation(plugin, { text: 'x' }, [{ value: { a: { b: 1 } } }])).rejects.toThrow(TypeError);
});

test('bytes are passed through', async () => {
  const [same] = await runTransformation(
    transformation((record) => record),
    { text: 'x' },
    [{ value: Buffer.from('a') }],
  );
  expect(same?.value).toEqual(Buffer.from('a'));
});

test('a predicate', async () => {
  const plugin: PredicatePlugin = {
    type: 'predicate',
    config: [],
    create: () => ({ configure: () => undefined, test: ({ key }) => key === 'k', close: () => void closed++ }),
  };
  expect(await runPredicate(plugin, {}, [{ value: 1, key: 'k' }, { value: 1 }])).toEqual([true, false]);
  expect(closed).toBe(1);
});
