/**
 * A chart of the last hour. The value of a moment is shown for the pointer and, with the arrow keys, for the keyboard:
 * to a screen reader the chart is a slider over time. The same numbers are in a table.
 */
import type { JSX } from 'preact';
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { formatClock, formatDuration } from '../parts/format';
import { printable } from '../parts/printable';
import { Fold } from '../parts/trace';
import { formatIn, newestKnown, summaries, textAt, timesOf, type ChartSeries, type ChartUnit } from './chart-model';
import { COLORS, createPlot, DASHES, fit } from './plot';

export interface TimeChartProps {
  readonly title: string;
  readonly unit: ChartUnit;
  readonly series: readonly ChartSeries[];
  readonly end: number;
  readonly stepMs: number;
}

const KEYS: Readonly<Record<string, number>> = {
  ...{ ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -6, PageUp: 6 },
  ...{ Home: -Infinity, End: Infinity },
};

export function TimeChart({ title, unit, series, end, stepMs }: TimeChartProps): JSX.Element {
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const theme = useThemeName();
  const count = series[0]?.values.length ?? 0;
  const times = useMemo(() => timesOf(count, end, stepMs), [count, end, stepMs]);
  useEffect(() => {
    const element = place.current as HTMLDivElement;
    const created = createPlot({ element, series: series.length, unit, onCursor: setPointed });
    plot.current = created;
    const unfit = fit(created, element);
    return () => {
      unfit();
      created.destroy();
    };
  }, [series.length, unit, theme]);
  useEffect(() => {
    plot.current?.setData([times, ...series.map(({ values }) => [...values])]);
  }, [series, times, unit, theme]);

  const newest = newestKnown(series);
  const index = pointed ?? newest;
  const move = (event: KeyboardEvent): void => {
    const by = KEYS[event.key];
    if (by === undefined || plot.current === null) return;
    event.preventDefault();
    const next = Math.min(count - 1, Math.max(0, Math.max(0, index) + by));
    plot.current.setCursor({ left: plot.current.valToPos(times[next] as number, 'x'), top: 1 }, true);
  };
  const text = index < 0 ? 'unknown' : textAt(series, index, times[index] as number, unit);
  return (
    <section class="chart" aria-labelledby={id}>
      <h2 id={id}>{printable(title)}</h2>
      <div
        ref={place}
        class="chart-plot"
        role="slider"
        tabIndex={0}
        aria-label={`${printable(title)}, the last ${formatDuration(count * stepMs)}`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, count - 1)}
        aria-valuenow={Math.max(0, index)}
        aria-valuetext={printable(text)}
        onKeyDown={move}
      />
      <Readout series={series} index={index} time={index < 0 ? null : (times[index] as number)} unit={unit} />
      <Fold summary="Values as a table">
        <Values title={title} series={series} times={times} unit={unit} />
      </Fold>
    </section>
  );
}

interface ReadoutProps {
  readonly series: readonly ChartSeries[];
  readonly index: number;
  readonly time: number | null;
  readonly unit: ChartUnit;
}

/** The moment under the pointer, or the newest: also the legend of several lines. */
function Readout({ series, index, time, unit }: ReadoutProps): JSX.Element {
  return (
    <div class="chart-readout" aria-hidden="true">
      <span class="number">{time === null ? 'no value yet' : formatClock(time * 1000)}</span>
      {series.map(({ label, values }, i) => (
        <span key={label} class="chart-value">
          {series.length > 1 && <Line index={i} />}
          {series.length > 1 && <bdi class="name">{printable(label)}</bdi>}
          <span class="number">{formatIn(unit, values[index] ?? null)}</span>
        </span>
      ))}
    </div>
  );
}

/** A piece of the line. */
function Line({ index }: { readonly index: number }): JSX.Element {
  const dash = DASHES[Math.floor(index / COLORS.length) % DASHES.length];
  return (
    <svg width="24" height="8" viewBox="0 0 24 8">
      <path
        d="M0 4h24"
        stroke={`var(${COLORS[index % COLORS.length]})`}
        stroke-width="2"
        stroke-dasharray={dash?.join(' ')}
      />
    </svg>
  );
}

type ValuesProps = Pick<TimeChartProps, 'title' | 'series' | 'unit'> & { readonly times: readonly number[] };

function Values({ title, series, times, unit }: ValuesProps): JSX.Element {
  return (
    <div class="chart-table" tabIndex={0} role="region" aria-label={`${printable(title)}, values`}>
      <table>
        <thead>
          <tr>
            {series.length > 1 && <th scope="col">Of</th>}
            {['From', 'Lowest', 'Mean', 'Highest'].map((label) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {series.flatMap(({ label, values }) =>
            summaries(values, times).map(({ from, lowest, mean, highest }) => (
              <tr key={`${label} ${from}`}>
                {series.length > 1 && <td>{printable(label)}</td>}
                <th scope="row">{formatClock(from * 1000)}</th>
                {[lowest, mean, highest].map((value, i) => (
                  <td key={i}>{value === null ? 'unknown' : formatIn(unit, value)}</td>
                ))}
              </tr>
            )),
          )}
        </tbody>
      </table>
    </div>
  );
}

/** Changes with the colors, which a canvas must be told. */
function useThemeName(): string {
  const read = (): string => document.documentElement.dataset['theme'] ?? '';
  const [name, setName] = useState(read);
  useEffect(() => {
    const observer = new MutationObserver(() => setName(read));
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => observer.disconnect();
  }, []);
  return name;
}
