import { DataError, type SourceRecord, type SourceTask, type TransformationPlugin } from '@millrace/sdk';
import { TaskRunner } from '../../../src/tasks/task-runner';
import type { SourcePreview } from '../../../src/tasks/source-preview';
import { PARTITION, record, RecordingListener, ScriptedSource, sourceOf, spec, world } from '../fakes';

class Watched implements SourcePreview {
  readonly seen: string[] = [];
  private enough!: () => void;
  readonly done = new Promise<void>((resolve) => (this.enough = resolve));
  constructor(private readonly limit: number) {}
  private get records(): number {
    return this.seen.filter((line) => line.startsWith('record')).length;
  }
  onRecord: SourcePreview['onRecord'] = ({ topic, value }, polled) => {
    this.seen.push(`record ${topic} ${Buffer.from(value ?? '').toString()} ${JSON.stringify(polled.sourceOffset)}`);
    if (this.records === this.limit) this.enough();
  };
  onSkipped = (polled: SourceRecord): void => void this.seen.push(`skipped ${JSON.stringify(polled.sourceOffset)}`);
  onFailure: SourcePreview['onFailure'] = ({ stage, error }) =>
    void this.seen.push(`failure ${stage} ${(error as Error).message}`);
  whenReady = (): Promise<void> | null => (this.records < this.limit ? null : new Promise(() => undefined));
}

const picky: TransformationPlugin = {
  type: 'transformation',
  config: [],
  create: () => ({
    configure: () => undefined,
    apply: (given) => {
      if (given.value === 'v2') throw new DataError('v2 is refused');
      return given.value === 'v3' ? null : { ...given, topic: `to-${given.topic}` };
    },
    close: () => undefined,
  }),
};
const installed = {
  description: {
    type: 'transformation' as const,
    class: 'Picky',
    version: '1',
    aliases: [],
    taskClass: null,
    location: 'test',
  },
  plugin: picky,
};
const CONFIG = { transforms: 'p', 'transforms.p.type': 'Picky', 'errors.tolerance': 'all' };

function preview(task: SourceTask, watched: Watched, config: Record<string, string>) {
  const w = world(sourceOf(task), {}, [installed]);
  const listener = new RecordingListener();
  const runner = new TaskRunner(spec('source', config), { ...w, preview: watched }, listener);
  runner.start();
  return { w, listener, runner };
}

test('a previewed task: its records arrive transformed and converted, no client is created, nothing is committed', async () => {
  const task = new ScriptedSource([
    [record(1), record(2), record(3)],
    [record(4), record(5), record(6)],
  ]);
  const watched = new Watched(3);
  const { w, listener, runner } = preview(task, watched, CONFIG);
  await watched.done;
  runner.stop();
  await runner.done;
  expect(watched.seen).toEqual([
    'record to-t v1 {"n":1}',
    'failure TRANSFORMATION v2 is refused',
    'skipped {"n":2}',
    'skipped {"n":3}',
    'record to-t v4 {"n":4}',
    'record to-t v5 {"n":5}',
  ]);
  expect(w.clientConfigs).toEqual([]);
  expect(w.offsets.writes).toEqual([]);
  expect(task.log).toEqual(['start', 'stop']);
  expect(listener.events).toEqual(['running c-0', 'stopped c-0']);
});

test('a previewed task fails with a record that cannot be transformed, unless that is tolerated', async () => {
  const watched = new Watched(2);
  const { listener, runner } = preview(new ScriptedSource([[record(1), record(2)]]), watched, {
    ...CONFIG,
    'errors.tolerance': 'none',
  });
  await runner.done;
  expect(listener.events).toEqual(['running c-0', 'failed c-0']);
  expect(listener.trace).toContain('v2 is refused');
});

test('context.preview is true in a previewed task; storeOffset resolves and is read back', async () => {
  const task = new ScriptedSource([[record(1)]]);
  const watched = new Watched(1);
  let flag: boolean | undefined;
  let read: unknown;
  const start = task.start.bind(task);
  task.start = async (config, context) => {
    flag = context.preview;
    await context.storeOffset(PARTITION, { n: 0 });
    read = await context.offsets.offset(PARTITION);
    start(config, context);
  };
  const { runner } = preview(task, watched, { 'exactly.once.support': 'required' });
  await watched.done;
  runner.stop();
  await runner.done;
  expect([flag, read]).toEqual([true, { n: 0 }]);
  expect(task.log).toEqual(['start', 'stop']);
});
