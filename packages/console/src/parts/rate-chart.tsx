/** Rates of the last minutes as a small chart. */
import type { JSX } from 'preact';
import { formatDuration, formatRate } from './format';
import { memo } from './memo';
import { HEIGHT, sparklinePath, WIDTH } from './sparkline';

export interface SparklineProps {
  /** Oldest first; null: a gap. */
  readonly rates: readonly (number | null)[];
  readonly stepMs: number;
}

export const Sparkline = memo(function Sparkline({ rates, stepMs }: SparklineProps): JSX.Element {
  const known = rates.filter((rate) => rate !== null);
  const span = formatDuration(Math.max(0, rates.length - 1) * stepMs);
  const label =
    known.length === 0
      ? 'No rates known yet'
      : `Rate in the last ${span}: ${formatRate(Math.min(...known))} to ${formatRate(Math.max(...known))}`;
  return (
    <svg
      class="sparkline"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
    >
      <title>{label}</title>
      <path class="sparkline-base" d={`M0 ${HEIGHT - 2}h${WIDTH}`} />
      <path class="sparkline-line" d={sparklinePath(rates)} />
    </svg>
  );
});
