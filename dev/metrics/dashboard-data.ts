/** The values that the panels of the Grafana dashboard show, read from Prometheus as Grafana reads them. */

export interface GridPosition {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

interface Target {
  readonly expr: string;
  readonly legendFormat: string;
}

export interface Panel {
  readonly type: 'row' | 'stat' | 'timeseries';
  readonly title: string;
  readonly gridPos: GridPosition;
  readonly fieldConfig?: { readonly defaults: { readonly unit: string } };
  readonly targets?: readonly Target[];
}

export interface Series {
  readonly legend: string;
  /** By time, in seconds; null where there is no sample. */
  readonly values: readonly (number | null)[];
}

export interface PanelData extends Panel {
  readonly series: readonly Series[];
}

export interface Span {
  /** Seconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly step: number;
  /** Of the scrapes, in seconds. */
  readonly scrape: number;
}

/** Times of all series of a span. */
export function timesOf({ from, to, step }: Span): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);
}

/** With all variables at "All", and `$__rate_interval` as Grafana computes it. */
export function expand(expr: string, { step, scrape }: Span): string {
  const rateInterval = Math.max(step + scrape, 4 * scrape);
  return expr.replaceAll('$__rate_interval', `${rateInterval}s`).replace(/\$(?:job|instance|connector)\b/g, '.*');
}

/** @throws Error that names the panel if Prometheus rejects its query */
export async function readPanels(prometheus: string, panels: readonly Panel[], span: Span): Promise<PanelData[]> {
  return await Promise.all(
    panels.map(async (panel) => {
      const results = (panel.targets ?? []).map(async (target) => await readSeries(prometheus, panel, target, span));
      return { ...panel, series: (await Promise.all(results)).flat() };
    }),
  );
}

async function readSeries(prometheus: string, panel: Panel, target: Target, span: Span): Promise<Series[]> {
  const query = new URLSearchParams({
    query: expand(target.expr, span),
    ...{ start: String(span.from), end: String(span.to), step: String(span.step) },
  });
  const answer = (await (await fetch(`${prometheus}/api/v1/query_range?${query.toString()}`)).json()) as {
    readonly error?: string;
    readonly data?: { readonly result: readonly { metric: Record<string, string>; values: [number, string][] }[] };
  };
  if (!answer.data) throw new Error(`The query of the panel "${panel.title}" failed: ${answer.error}`);
  const times = timesOf(span);
  return answer.data.result.map(({ metric, values }) => {
    const found = new Map(values.map(([time, text]) => [Math.round(time), Number(text)]));
    return {
      legend: target.legendFormat.replace(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? ''),
      values: times.map((time) => found.get(Math.round(time)) ?? null),
    };
  });
}
