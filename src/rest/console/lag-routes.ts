/**
 * How far a sink is behind in each partition: offsets from Kafka, and positions from the workers that run its tasks,
 * which answer each other at `GET /ui/api/worker/lag/NAME`.
 */
import type { PartitionLag, SinkLag } from '@millrace/console';
import type { GroupPartition, WorkerFigures } from '../../cluster/entities';
import { clientFigures } from '../../metrics/open-clients';
import { encodeSegment } from '../requests/request-path';
import { ok, param, type Call, type ConsoleRoute } from '../requests/route';
import type { ConsoleContext } from './console-context';

const PATH = '/ui/api/worker/lag/:name';
/** The most behind are kept. */
const MOST_ROWS = 1_000;
const MOST_PARTITIONS = 10_000;

/** A partition of a task's consumer, as its worker sees it. Null: unknown. */
interface ConsumedPartition {
  readonly topic: string;
  readonly partition: number;
  readonly task: number;
  readonly position: number | null;
  readonly records: number | null;
  readonly seconds: number | null;
}

export function lagRoutes(context: Pick<ConsoleContext, 'herder' | 'health'>): readonly ConsoleRoute[] {
  const own = (name: string): readonly ConsumedPartition[] =>
    consumedPartitions(context.herder().figures(), name, Date.now());

  async function ofGroup(call: Call): Promise<SinkLag> {
    const name = param(call, 'name');
    const authorization = call.request.headers.authorization ?? null;
    const herder = context.herder();
    const tasks = herder.reads.record(name).status?.tasks ?? [];
    const workers = [...new Set(tasks.map(({ worker_id: worker }) => worker))];
    const path = PATH.replace(':name', () => encodeSegment(name));
    const [partitions] = await Promise.all([herder.offsets.partitions(name), context.health.group(authorization)]);
    const consumed = await Promise.all(
      workers.map(async (worker) =>
        worker === herder.workerId
          ? own(name)
          : readPartitions(await context.health.reports.ask(worker, path, authorization)),
      ),
    );
    const missing = workers.filter((_, i) => consumed[i] === null);
    const rows = joined(
      partitions,
      consumed.flatMap((each) => each ?? []),
    );
    return { total: rows.length, partitions: rows.slice(0, MOST_ROWS), missing: missing.sort() };
  }

  return [
    {
      method: 'GET',
      path: PATH,
      role: 'reader',
      forWorkers: true,
      run: (call) => ok(own(param(call, 'name'))),
    },
    {
      method: 'GET',
      path: '/ui/api/connectors/:name/lag',
      role: 'reader',
      run: async (call) => ok(await ofGroup(call)),
    },
  ];
}

function consumedPartitions(figures: WorkerFigures, name: string, now: number): readonly ConsumedPartition[] {
  return clientFigures(figures, now)
    .consumers.flatMap(({ owner, partitions }) =>
      owner?.connector === name
        ? partitions.map(({ topic, partition, position, records, seconds }) => ({
            ...{ topic, partition, task: owner.task, position, records, seconds },
          }))
        : [],
    )
    .slice(0, MOST_PARTITIONS);
}

const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;

/** Null: the worker did not answer, or has no such route. */
function readPartitions(body: unknown): readonly ConsumedPartition[] | null {
  if (!Array.isArray(body)) return null;
  return (body as unknown[]).slice(0, MOST_PARTITIONS).flatMap((value) => {
    const one = (value ?? {}) as Partial<Record<keyof ConsumedPartition, unknown>>;
    const { topic } = one;
    const [partition, task] = [numberOf(one.partition), numberOf(one.task)];
    if (typeof topic !== 'string' || partition === null || task === null) return [];
    const figures = {
      position: numberOf(one.position),
      records: numberOf(one.records),
      seconds: numberOf(one.seconds),
    };
    return [{ topic, partition, task, ...figures }];
  });
}

/** The most behind first; unknown ones last. Pure. */
export function joined(
  partitions: readonly GroupPartition[],
  consumed: readonly ConsumedPartition[],
): readonly PartitionLag[] {
  const nameOf = ({ topic, partition }: Pick<GroupPartition, 'topic' | 'partition'>): string => `${partition} ${topic}`;
  const live = new Map(consumed.map((one) => [nameOf(one), one]));
  return partitions
    .map(({ topic, partition, committed, end }): PartitionLag => {
      const {
        task = null,
        position = null,
        records = null,
        seconds = null,
      } = live.get(nameOf({ topic, partition })) ?? {};
      // What is processed, and not committed yet, is not behind.
      const lag = records ?? (committed === null || end === null ? null : Math.max(0, end - committed));
      return { topic, partition, task, committed, position, end, records: lag, seconds };
    })
    .sort((a, b) => (b.records ?? -1) - (a.records ?? -1));
}
