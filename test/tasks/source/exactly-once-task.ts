/** An exactly-once source task on fake clients, for the tests beside this file. */
import type { SourceRecord, SourceTask, SourceTaskContext, TransactionContext } from '@millrace/sdk';
import { KafkaError } from '../../../packages/kafka-client/src/errors';
import { TaskMetrics, DEFAULT_SAMPLE_WINDOWS } from '../../../src/metrics/task-metrics';
import type { ExactlyOnceGate } from '../../../src/tasks/host';
import type { LeaseMemory } from '../../../src/tasks/session-lease';
import { TaskRunner } from '../../../src/tasks/task-runner';
import { RecordingListener, ScriptedSource, sourceOf, spec, world, type World } from '../fakes';

const EXACTLY_ONCE = { transactionalId: 'g-c-0', generation: 7 };
export const ended = new KafkaError('INVALID_PRODUCER_EPOCH', 'a newer producer took over', { fenced: true });
export const offset = (n: number): string => JSON.stringify({ n });

export interface Started {
  readonly runner: TaskRunner;
  readonly listener: RecordingListener;
  readonly w: World;
  readonly calls: string[];
  readonly metrics: TaskMetrics;
}

export function start(
  task: SourceTask,
  config: Record<string, string> = {},
  prepare: (w: World, gate: { -readonly [K in keyof ExactlyOnceGate]: ExactlyOnceGate[K] }) => void = () => undefined,
  worker: Record<string, string> = {},
  lease?: LeaseMemory,
): Started {
  const calls: string[] = [];
  const gate = {
    fence: async (connector: string) => void calls.push(`fence ${connector}`),
    confirm: async (id: { connector: string; task: number }, generation: number) =>
      void calls.push(`confirm ${id.connector}-${id.task} ${generation}`),
  };
  const w = world(sourceOf(task), worker);
  prepare(w, gate);
  const listener = new RecordingListener();
  const memory = TaskMetrics.allocate('source', DEFAULT_SAMPLE_WINDOWS);
  const given = spec('source', config, { exactlyOnce: EXACTLY_ONCE, metrics: memory, lease });
  const runner = new TaskRunner(given, { ...w, gate }, listener);
  runner.start();
  return { runner, listener, w, calls, metrics: TaskMetrics.in(memory) };
}
export async function stop({ runner }: Started): Promise<void> {
  runner.stop();
  await runner.done;
}

/** A source that uses its context while it polls. */
export class Defining extends ScriptedSource {
  context!: SourceTaskContext;
  readonly delivered: string[] = [];
  override commitRecord = (of: SourceRecord, metadata: unknown): void =>
    void this.delivered.push(`${String(of.value)}${metadata === null ? ' dropped' : ''}`);
  override start: SourceTask['start'] = (_config, context) => void (this.context = context);
  get transaction(): TransactionContext {
    return this.context.transactionContext as TransactionContext;
  }
}
