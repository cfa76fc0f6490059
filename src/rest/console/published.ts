/** The series that plugins publish, as workers tell each other: `GET /ui/api/worker/NAME`. */
import type { WorkerFigures } from '../../cluster/entities';
import { valueOf } from '../../metrics/published-series';

export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Of a connector's tasks on this worker. The others are for dashboards. */
const SHOWN = /^(?:millrace_postgres_|debezium_metrics_(?:Snapshot|RowsScanned$|RemainingTableCount$))/;
/** A snapshot of thousands of tables has some for each. */
const MOST_SERIES = 10_000;

export function publishedSeries({ tasks }: WorkerFigures, connector: string, now: number): readonly Series[] {
  return tasks
    .filter((task) => task.connector === connector)
    .flatMap(({ published }) => published)
    .filter(({ name }) => SHOWN.test(name))
    .slice(0, MOST_SERIES)
    .flatMap((one) => {
      const value = valueOf(one, now);
      return Number.isFinite(value) ? [{ name: one.name, labels: one.labels, value }] : [];
    });
}

/** Empty: it is something else. */
export function readSeries(body: unknown): readonly Series[] {
  return Array.isArray(body) ? (body as unknown[]).slice(0, MOST_SERIES).filter(isSeries) : [];
}

function isSeries(value: unknown): value is Series {
  const { name, labels, value: number } = (value ?? {}) as Partial<Record<keyof Series, unknown>>;
  return (
    typeof name === 'string' &&
    Number.isFinite(number) &&
    typeof labels === 'object' &&
    labels !== null &&
    Object.values(labels).every((label) => typeof label === 'string')
  );
}
