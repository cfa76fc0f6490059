/** The screen of `millrace top`. */
import { type Paint, paintHealth, paintState } from '../../output/colours';
import { noteText, rateText, tableText } from '../../output/layout';
import { type ConnectorRow, type Figures, type SortKey, sortRows, type WorkerReading, type WorkerRow } from './rows';

export interface Shown {
  readonly sort: SortKey;
  /** Rows of connectors or tasks. */
  readonly limit: number;
  readonly tasks: boolean;
  /** Width of the terminal; 0 or undefined: unknown. */
  readonly columns?: number | undefined;
  /** What is wrong with the worker that answers; empty while nothing is. */
  readonly worker: string;
}

const MOST_NAMES = 5;
const FIGURES = ['RECORDS/S', 'LAG', 'BEHIND', 'ERRORS', 'ERRORS/S'];
/** What a narrow terminal does not show, the least important first. */
const OPTIONAL = ['TYPE', 'WORKER', 'STATE', 'LAG', 'ERRORS', 'TASKS'];
const OPTIONAL_OF_WORKERS = ['TASKS', 'RECORDS/S'];

export function topText(
  connectors: readonly ConnectorRow[],
  workers: readonly WorkerRow[],
  readings: readonly WorkerReading[],
  shown: Shown,
  paint: Paint,
): string {
  const { columns, worker } = shown;
  const hasFigures = readings.some(({ figures }) => figures);
  const rows = shown.tasks ? taskLines(connectors, shown, paint) : connectorLines(connectors, shown, paint);
  const headings = shown.tasks
    ? ['CONNECTOR', 'TASK', 'STATE', 'WORKER']
    : ['CONNECTOR', 'TYPE', 'STATE', 'HEALTH', 'TASKS'];
  const lines = rows.slice(0, shown.limit).map(({ words, figures }) => [...words, ...(hasFigures ? figures : [])]);
  const more = rows.length - lines.length;
  return [
    ...(worker === '' ? [] : [`${paint('red', noteText(worker, columns))}\n`]),
    ...(hasFigures ? [`${workersText(workers, columns)}\n`] : []),
    ...notesOf(connectors, readings).map((note) => `${noteText(note, columns)}\n`),
    tableText([...headings, ...(hasFigures ? FIGURES : [])], lines, { columns, optional: OPTIONAL }),
    ...(more > 0 ? [`... and ${more} more\n`] : []),
  ].join('');
}

interface Line {
  readonly words: readonly string[];
  readonly figures: readonly string[];
}

function connectorLines(connectors: readonly ConnectorRow[], { sort }: Shown, paint: Paint): readonly Line[] {
  return sortRows(connectors, sort).map((row) => {
    const running = row.tasks.filter(({ state }) => state === 'RUNNING').length;
    const tasks = `${running}/${row.tasks.length}`;
    const isFailed = row.tasks.some(({ state }) => state === 'FAILED');
    return {
      words: [
        row.name,
        row.type,
        paintState(paint, row.state),
        paintHealth(paint, row.health),
        isFailed ? paint('red', tasks) : tasks,
      ],
      figures: figureTexts(row),
    };
  });
}

function taskLines(connectors: readonly ConnectorRow[], { sort }: Shown, paint: Paint): readonly Line[] {
  const tasks = connectors.flatMap(({ name, tasks: own }) => own.map((task) => ({ name, ...task })));
  return sortRows(tasks, sort).map((row) => ({
    words: [row.name, String(row.id), paintState(paint, row.state), row.worker],
    figures: figureTexts(row),
  }));
}

function figureTexts(figures: Figures): readonly string[] {
  const { recordsPerSecond, lagRecords, lagSeconds, errors, errorsPerSecond } = figures;
  return [
    rateText(recordsPerSecond),
    countText(lagRecords),
    secondsText(lagSeconds),
    countText(errors),
    rateText(errorsPerSecond),
  ];
}

function workersText(workers: readonly WorkerRow[], columns: number | undefined): string {
  return tableText(
    ['WORKER', 'CPU', 'MEMORY', 'TASKS', 'RECORDS/S'],
    workers.map(({ worker, cpu, memoryBytes, tasks, recordsPerSecond }) => [
      worker,
      cpu === null ? '-' : `${Math.round(cpu * 100)} %`,
      memoryBytes === null ? '-' : `${Math.round(memoryBytes / 1024 / 1024)} MiB`,
      countText(tasks),
      rateText(recordsPerSecond),
    ]),
    { columns, optional: OPTIONAL_OF_WORKERS },
  );
}

/** Why figures are missing, each reason once. */
function notesOf(connectors: readonly ConnectorRow[], readings: readonly WorkerReading[]): readonly string[] {
  const without = readings.filter(({ figures, problem }) => !figures && problem === undefined);
  const problems = readings.flatMap(({ worker, problem }) => (problem === undefined ? [] : [`${worker}: ${problem}`]));
  const isKnown = readings.length > without.length + problems.length;
  const elsewhere = connectors.flatMap(({ tasks }) =>
    tasks.filter((task) => task.state === 'RUNNING' && task.recordsPerSecond === null).map(({ worker }) => worker),
  );
  return [
    ...(without.length > 0
      ? [`Only states of ${namesText(without.map(({ worker }) => worker))}: no GET /metrics (Java's worker has none).`]
      : []),
    ...problems,
    ...(isKnown && elsewhere.length > 0
      ? [`No figures of tasks on ${namesText(elsewhere)}: name the URLs of all workers with --url or in the context.`]
      : []),
  ];
}

function namesText(names: readonly string[]): string {
  const unique = [...new Set(names)].sort();
  const shown = unique.slice(0, MOST_NAMES).join(', ');
  return unique.length > MOST_NAMES ? `${shown} and ${unique.length - MOST_NAMES} more` : shown;
}

function countText(value: number | null): string {
  return value === null ? '-' : String(Math.round(value));
}

function secondsText(value: number | null): string {
  if (value === null) return '-';
  if (value < 100) return `${value.toFixed(1)} s`;
  return value < 6000 ? `${Math.round(value / 60)} min` : `${Math.round(value / 3600)} h`;
}
