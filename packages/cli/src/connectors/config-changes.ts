/** Compares connector configs, and shows the differences without secrets. Pure. */
import { HIDDEN, isSecret, redactText } from '@millrace/texts/redaction';
import type { Paint } from '../output/colours';
import { printable } from '../output/printable';

const LONGEST_VALUE = 500;

export type Config = Readonly<Record<string, string | null>>;

/** Undefined stands for a missing key. */
export interface Change {
  readonly key: string;
  readonly from?: string;
  readonly to?: string;
}

/** Sorted by key; values of secrets are masked. Empty if the configs are equal. */
export function changesOf(from: Config, to: Config): readonly Change[] {
  const value = (config: Config, key: string): string | undefined =>
    Object.hasOwn(config, key) ? (config[key] ?? undefined) : undefined;
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].sort().flatMap((key) => {
    const [old, next] = [value(from, key), value(to, key)];
    if (old === next) return [];
    return [
      {
        key,
        ...(old !== undefined && { from: shownValue(key, old) }),
        ...(next !== undefined && { to: shownValue(key, next) }),
      },
    ];
  });
}

/** A line for each change, like `  ~ topic: a -> b`. */
export function changeLines(changes: readonly Change[], paint: Paint): string {
  return changes
    .map(({ key, from, to }) => {
      const name = printable(key);
      if (from === undefined) return `${paint('green', `  + ${name}: ${to}`)}\n`;
      if (to === undefined) return `${paint('red', `  - ${name}: ${from}`)}\n`;
      return `${paint('yellow', `  ~ ${name}: ${from === to ? `${to} (changed)` : `${from} -> ${to}`}`)}\n`;
    })
    .join('');
}

/** The value of a config key as people and programs may see it: masked if it is a secret, bounded. */
export function shownValue(key: string, value: string): string {
  return isSecret(key, value) ? HIDDEN : printable(redactText(value, LONGEST_VALUE));
}
