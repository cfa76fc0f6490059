/** Prometheus' text format 0.0.4. Pure. */
import type { Sample } from './attribute';

export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** A histogram's name the series they belong to: `_bucket`, `_sum`, `_count`. */
  readonly samples: readonly (Sample & { readonly suffix?: string })[];
}

/** The lines of a family, or nothing when there is no sample of it. */
export function familyText({ name, help, type, samples }: Family): string {
  if (samples.length === 0) return '';
  const lines = samples.map(
    ({ labels, value, suffix = '' }) => `${name}${suffix}${labelsText(labels)} ${numberText(value)}\n`,
  );
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function labelsText(labels: Sample['labels']): string {
  const pairs = Object.entries(labels).map(([name, text]) => `${name}="${escaped(text)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

function numberText(value: number): string {
  if (Math.abs(value) === Infinity) return value > 0 ? '+Inf' : '-Inf';
  return String(value);
}
