/** Draws lines over time on a canvas. The library, uPlot, is loaded with the first page that has charts. */
import uPlot from 'uplot';
import type { HistoryValues } from '../worker-api';
import { formatClock } from '../parts/format';
import { formatIn, lonely, marksOf, type ChartUnit } from './chart-model';

export const COLORS = ['--accent', '--degraded', '--running', '--failed'] as const;
/** A line is not known by its color alone. */
export const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 3], [10, 3, 2, 3]];
const HEIGHT = 176;
const AXIS_WIDTH = 76;

export interface PlotOptions {
  readonly element: HTMLElement;
  readonly series: number;
  readonly unit: ChartUnit;
  /** Index of the value under the pointer; null: none. */
  readonly onCursor: (index: number | null) => void;
}

export function createPlot({ element, series, unit, onCursor }: PlotOptions): uPlot {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(name);
  const axis: uPlot.Axis = {
    stroke: color('--muted'),
    font: `12px ${getComputedStyle(element).fontFamily}`,
    grid: { stroke: color('--line'), width: 1 },
    ticks: { stroke: color('--line'), width: 1, size: 4 },
  };
  const line = (index: number): uPlot.Series => ({
    stroke: color(COLORS[index % COLORS.length] as string),
    width: 1.5,
    dash: [...(DASHES[Math.floor(index / COLORS.length) % DASHES.length] ?? [])],
    points: { show: true, size: 4, filter: (plot, i) => lonely(plot.data[i] as HistoryValues) },
  });
  return new uPlot(
    {
      width: Math.max(1, element.clientWidth),
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, sync: { key: 'last hour' } },
      scales: { y: { range: (_, __, most) => [0, Math.max(most || 0, marksOf(unit)[0] as number) * 1.05] } },
      axes: [
        { ...axis, size: 28, values: (_, splits) => splits.map((time) => formatClock(time * 1000).slice(0, 5)) },
        {
          ...axis,
          size: AXIS_WIDTH,
          incrs: marksOf(unit),
          space: 24,
          values: (_, splits) => splits.map((v) => formatIn(unit, v)),
        },
      ],
      series: [{}, ...Array.from({ length: series }, (_, index) => line(index))],
      hooks: { setCursor: [({ cursor }) => onCursor(cursor.idx ?? null)] },
    },
    [[], ...Array.from({ length: series }, () => [])],
    element,
  );
}

/** As wide as its place. @returns ends that */
export function fit(plot: uPlot, element: HTMLElement): () => void {
  const observer = new ResizeObserver(() => {
    const width = Math.max(1, element.clientWidth);
    if (width !== plot.width) plot.setSize({ width, height: HEIGHT });
  });
  observer.observe(element);
  return () => observer.disconnect();
}
