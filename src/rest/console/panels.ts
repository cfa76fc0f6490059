/**
 * The panels of a connector's page that its plugin declares, from the series that its tasks publish; and those series
 * as workers send them to each other: `GET /ui/api/worker/NAME`.
 */
import type { ConnectorConsole, ConnectorPanel, PanelCondition, PanelFigure } from '@millrace/sdk';
import type { WorkerFigures } from '../../cluster/entities';
import { valueOf } from '../../metrics/published-series';
import type { Figure, Panel, PanelRow, TextPart } from '@millrace/console';

export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A snapshot of thousands of tables has some for each. */
const MOST_SERIES = 10_000;
const MOST_ROWS = 1_000;

/** Of a connector's tasks on this worker, those that its panels show. The others are for dashboards. */
export function publishedSeries(
  { tasks }: WorkerFigures,
  connector: string,
  { panels = [] }: ConnectorConsole = {},
  now: number,
): readonly Series[] {
  const shown = new Set(
    panels.flatMap(({ figures = {}, progress }) => [
      ...Object.values(figures).map(({ metric }) => metric),
      ...(progress ? [progress.percent, progress.count] : []),
    ]),
  );
  return tasks
    .filter((task) => task.connector === connector)
    .flatMap(({ published }) => published)
    .filter(({ name }) => shown.has(name))
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

/** Those of which something is known. */
export function panelsOf({ panels = [] }: ConnectorConsole, series: readonly Series[]): readonly Panel[] {
  return panels.flatMap((panel) => panelOf(panel, series) ?? []);
}

type Figures = ReadonlyMap<string, Figure>;

function panelOf(declared: ConnectorPanel, series: readonly Series[]): Panel | null {
  const { title, states, notices = [], facts = [], progress } = declared;
  const figures: Figures = new Map(
    Object.entries(declared.figures ?? {}).map(([name, figure]) => [name, figureOf(figure, series)]),
  );
  const rows = progress ? rowsOf(progress, series) : [];
  if (rows.length === 0 && [...figures.values()].every(({ value }) => value === null)) return null;
  const textOf = ({ when, text }: { readonly when?: PanelCondition; readonly text: string }) =>
    isMet(when, figures) ? filled(text, figures) : null;
  const state = first(states ?? [], textOf);
  if (states !== undefined && state === null) return null;
  return {
    title,
    state,
    notice: first(notices, (notice) => {
      const text = textOf(notice);
      return text && { kind: notice.kind, title: notice.title, text };
    }),
    facts: facts.map(({ title: label, figure, unknown = null }) => ({
      ...{ title: label, figure: figures.get(figure) as Figure, unknown },
    })),
    progress: progress ? { noun: progress.noun ?? null, isActive: isMet(progress.while, figures), rows } : null,
  };
}

function first<T, R>(all: readonly T[], use: (one: T) => R | null): R | null {
  for (const one of all) {
    const found = use(one);
    if (found !== null) return found;
  }
  return null;
}

/** Of a connector, from what its tasks publish. */
export function figureOf(declared: PanelFigure, series: readonly Series[]): Figure {
  const { metric, labels = {}, equals, label, combine = 'largest', unit = 'count', noun = null } = declared;
  const found = series.filter(
    (one) =>
      one.name === metric &&
      (equals === undefined || one.value === equals) &&
      (label === undefined || one.labels[label] !== undefined) &&
      Object.entries(labels).every(([name, value]) => one.labels[name] === value),
  );
  if (label !== undefined) return { value: found[0]?.labels[label] ?? null, unit, noun };
  return { value: found.length === 0 ? null : found.map(({ value }) => value).reduce(COMBINE[combine]), unit, noun };
}

const COMBINE = {
  largest: (a: number, b: number) => Math.max(a, b),
  smallest: (a: number, b: number) => Math.min(a, b),
  sum: (a: number, b: number) => a + b,
} as const;

function isMet(condition: PanelCondition = {}, figures: Figures): boolean {
  return Object.entries(condition).every(([name, wanted]) => {
    const value = figures.get(name)?.value ?? null;
    if (typeof wanted !== 'object') return value === wanted;
    const { above = -Infinity, below = Infinity } = wanted;
    return typeof value === 'number' && value > above && value < below;
  });
}

/** Null: one of its figures is unknown. */
function filled(text: string, figures: Figures): readonly TextPart[] | null {
  const parts = text.split(/\{(\w+)\}/).map((part, i) => (i % 2 === 0 ? part : (figures.get(part) as Figure)));
  return parts.some((part) => typeof part === 'object' && part.value === null) ? null : parts;
}

function rowsOf(
  { label, percent, count }: NonNullable<ConnectorPanel['progress']>,
  series: readonly Series[],
): readonly PanelRow[] {
  const rows = new Map<string, PanelRow>();
  for (const { name, labels, value } of series) {
    const figure = name === percent ? 'percent' : name === count ? 'count' : null;
    const row = labels[label];
    if (figure === null || row === undefined) continue;
    const known = rows.get(row) ?? { name: row, percent: null, count: null };
    if (rows.has(row) || rows.size < MOST_ROWS) rows.set(row, { ...known, [figure]: value });
  }
  return [...rows.values()];
}
