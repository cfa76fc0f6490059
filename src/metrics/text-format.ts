/** Prometheus' text format 0.0.4. */
import type { MetricType } from './attribute';

const ESCAPED = /["\\\n]/g;
const UNSAFE = /["\\\n]/;

export function familyHeader(name: string, help: string, type: MetricType): string {
  // Quotes are only escaped in labels.
  const escaped = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return `# HELP ${name} ${escaped}\n# TYPE ${name} ${type}\n`;
}

/** Without braces; empty without labels. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  let text = '';
  for (const name in labels) text += `${text === '' ? '' : ','}${name}="${escaped(labels[name] as string)}"`;
  return text;
}

/** @param labels as `labelText` returns them: those of the group, and those of the sample */
export function sampleLine(name: string, labels: string, own: string, value: number): string {
  const all = labels === '' || own === '' ? labels + own : `${labels},${own}`;
  return all === '' ? `${name} ${valueText(value)}\n` : `${name}{${all}} ${valueText(value)}\n`;
}

function escaped(value: string): string {
  return UNSAFE.test(value) ? value.replace(ESCAPED, (found) => (found === '\n' ? '\\n' : `\\${found}`)) : value;
}

function valueText(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}
