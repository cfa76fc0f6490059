/** `auto.offset.reset` as in Java, including `by_duration:P7D` (KIP-1106). */
import { invalid, oneOf, text } from '../client-settings';
import type { ClientConfig } from '../port';

/** `backMs`: the first record that is not older than this. */
export type OffsetReset = 'earliest' | 'latest' | 'none' | { readonly backMs: number };

const KEY = 'auto.offset.reset';
const BY_DURATION = 'by_duration:';
/** Days, hours, minutes and seconds, the only units of Java's `Duration`. */
const DURATION =
  /^([-+]?)P(?=.)(?:([-+]?\d+)D)?(?:T(?=.)(?:([-+]?\d+)H)?(?:([-+]?\d+)M)?(?:([-+]?\d+(?:[.,]\d{0,9})?)S)?)?$/i;
const UNITS_MS = [86_400_000, 3_600_000, 60_000, 1_000];

/** Throws KafkaError INVALID_CLIENT_CONFIG. */
export function readOffsetReset(config: ClientConfig): OffsetReset {
  const value = text(config, KEY) ?? '';
  if (!value.toLowerCase().startsWith('by_duration'))
    return oneOf(config, KEY, 'latest', ['earliest', 'latest', 'none', `${BY_DURATION}<duration>`] as const) as
      'earliest' | 'latest' | 'none';
  const backMs = value.toLowerCase().startsWith(BY_DURATION) ? durationMs(value.slice(BY_DURATION.length)) : null;
  if (backMs === null || backMs < 0) {
    throw invalid(KEY, `must be a duration as in 'by_duration:P7D' or 'by_duration:PT1H30M', not '${value}'`);
  }
  return { backMs };
}

/** Completes "resetting to …". */
export function placeOf(reset: OffsetReset): string {
  return typeof reset === 'object' ? `the first record of the last ${reset.backMs} ms` : `the ${reset} offset`;
}

function durationMs(iso: string): number | null {
  const match = DURATION.exec(iso);
  if (match === null) return null;
  const [, sign, ...parts] = match;
  const sum = parts.reduce((ms, part, i) => ms + Number((part ?? '0').replace(',', '.')) * (UNITS_MS[i] as number), 0);
  return Math.floor(sign === '-' ? -sum : sum);
}
