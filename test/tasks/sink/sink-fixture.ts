/** A sink task with scripted answers, and its runner. */
import type { SinkRecord, SinkTask, SinkTaskContext, TopicPartitionOffset } from '@millrace/sdk';
import type { LeaseMemory } from '../../../src/tasks/session-lease';
import { TaskRunner } from '../../../src/tasks/task-runner';
import { eventually, RecordingListener, sinkOf, spec, world, type FakeConsumer, type World } from '../fakes';

export const T0 = { topic: 't', partition: 0 };
export const T1 = { topic: 't', partition: 1 };

export class ScriptedSink implements SinkTask {
  readonly log: string[] = [];
  readonly puts: string[][] = [];
  readonly records: SinkRecord[] = [];
  context!: SinkTaskContext;
  /** Thrown by the next puts of a batch that is not empty. */
  putErrors: (Error | null)[] = [];
  onPut: ((records: readonly SinkRecord[]) => Promise<void> | void) | null = null;
  preCommit?: SinkTask['preCommit'];
  flushed: (readonly TopicPartitionOffset[])[] = [];
  start(_config: unknown, context: SinkTaskContext): void {
    this.context = context;
    this.log.push('start');
  }
  open(partitions: readonly { partition: number }[]): void {
    this.log.push(`open ${partitions.map((p) => p.partition).join()}`);
  }
  close(partitions: readonly { partition: number }[]): void {
    this.log.push(`close ${partitions.map((p) => p.partition).join()}`);
  }
  async put(records: readonly SinkRecord[]): Promise<void> {
    if (records.length === 0) return;
    this.puts.push(records.map((r) => String(r.value)));
    const error = this.putErrors.shift();
    if (error) throw error;
    await this.onPut?.(records);
    this.records.push(...records);
  }
  flush(offsets: readonly TopicPartitionOffset[]): void {
    this.log.push('flush');
    this.flushed.push(offsets);
  }
  stop(): void {
    this.log.push('stop');
  }
  values(): unknown[] {
    return this.records.map((r) => r.value);
  }
}

export interface Running {
  runner: TaskRunner;
  listener: RecordingListener;
  w: World;
  consumer: FakeConsumer;
}
export async function start(
  task: ScriptedSink,
  config: Record<string, string> = {},
  worker: Record<string, string> = {},
  prepare: (w: World) => void = () => undefined,
  lease?: LeaseMemory,
): Promise<Running> {
  const w = world(sinkOf(task), { 'offset.flush.interval.ms': '60000', ...worker });
  prepare(w);
  for (const [key, position] of [
    ['t-0', 0],
    ['t-1', 0],
  ] as const)
    w.consumer.positions.set(key, position);
  const listener = new RecordingListener();
  const runner = new TaskRunner(spec('sink', config, { lease }), w, listener);
  w.consumer.assign(T0, T1);
  runner.start();
  await eventually(() => listener.events.length > 0);
  return { runner, listener, w, consumer: w.consumer };
}
export async function stop({ runner }: Running): Promise<void> {
  runner.stop();
  await runner.done;
}
