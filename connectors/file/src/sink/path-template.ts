/** `${…}` in file names. Source: analytics-sink §9.2. */
import type { SinkRecord } from '@millrace/sdk';

type Origin = Pick<SinkRecord, 'topic' | 'partition' | 'timestamp'>;
type Part = (record: Origin, task: number) => string;

const PLACEHOLDER = /\$\{([^}]*)\}/g;
const TIMESTAMP = /^timestamp:([yMdHms._-]+)$/;
const UNITS: Readonly<Record<string, (date: Date) => string>> = {
  yyyy: (date) => String(date.getUTCFullYear()).padStart(4, '0'),
  MM: (date) => twoDigits(date.getUTCMonth() + 1),
  dd: (date) => twoDigits(date.getUTCDate()),
  HH: (date) => twoDigits(date.getUTCHours()),
  mm: (date) => twoDigits(date.getUTCMinutes()),
  ss: (date) => twoDigits(date.getUTCSeconds()),
};
const UNIT = /yyyy|MM|dd|HH|mm|ss/g;

/** Why a template is invalid. Null: it is valid. */
export function templateProblem(template: string): string | null {
  for (const [whole, name = ''] of template.matchAll(PLACEHOLDER)) {
    const format = TIMESTAMP.exec(name)?.[1];
    if (['topic', 'partition', 'task'].includes(name)) continue;
    if (format !== undefined && !/[a-zA-Z]/.test(format.replace(UNIT, ''))) continue;
    return `Unknown placeholder ${whole}: use \${topic}, \${partition}, \${task}, or \${timestamp:yyyyMMddHHmmss} or a part of it.`;
  }
  return null;
}

/** Names of the placeholders in a template, without the format of `timestamp`. */
export function templateNames(template: string): Set<string> {
  return new Set([...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name.split(':')[0] as string));
}

/** @param template a valid template, see `templateProblem` */
export function pathTemplate(template: string): (record: Origin, task: number) => string {
  const parts: Part[] = [];
  let end = 0;
  for (const match of template.matchAll(PLACEHOLDER)) {
    const text = template.slice(end, match.index);
    parts.push(() => text, placeholder(match[1] ?? ''));
    end = match.index + match[0].length;
  }
  const rest = template.slice(end);
  return (record, task) => parts.map((part) => part(record, task)).join('') + rest;
}

function placeholder(name: string): Part {
  if (name === 'task') return (_, task) => String(task);
  if (name === 'partition') return ({ partition }) => String(partition);
  // A value must not change the directory.
  if (name === 'topic') return ({ topic }) => topic.replace(/[^A-Za-z0-9._-]/g, '_').replace(/^\.{1,2}$/, '_');
  const format = TIMESTAMP.exec(name)?.[1] ?? '';
  return ({ timestamp }) => {
    if (timestamp === null) return 'no-timestamp';
    const date = new Date(timestamp);
    return format.replace(UNIT, (unit) => UNITS[unit]?.(date) ?? '');
  };
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
