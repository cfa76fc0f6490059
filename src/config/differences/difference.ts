/**
 * What becomes of a setting that works in Java Connect and not, or not in the same way, in Millrace. A table row
 * describes a key or a pattern of keys. Log, validation and `millrace doctor --from-java` read the same rows. Pure.
 */

/**
 * `rejected`: the worker or the connector does not start with it. `ignored`: it has no effect. `changed`: it works
 * differently. `replaced`: another key or class takes its place.
 */
export const DIFFERENCE_KINDS = ['rejected', 'ignored', 'changed', 'replaced'] as const;
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

export interface Difference {
  readonly key: string;
  readonly kind: DifferenceKind;
  /** One sentence without secrets. It does not repeat the key. */
  readonly message: string;
  /** What to write or to use: one sentence. Null: nothing. */
  readonly instead: string | null;
  /** Only of a key that nothing knows: the nearest one that is known, or null. */
  readonly meant?: string | null;
}

type Settings = Readonly<Record<string, string>>;

export interface DifferenceRow {
  /** A key, or a pattern of whole keys. */
  readonly key: string | RegExp;
  readonly kind: DifferenceKind;
  readonly message: string;
  readonly instead?: string;
  /** Values that require what happens anyway, in lower case. An empty value never makes a difference. */
  readonly same?: readonly string[];
  /** Whether the row counts, by the other settings, without the prefix of the key. (Default: it does) */
  readonly when?: (settings: Settings) => boolean;
}

/** Whether the row is about the key, whatever its value. */
export function covers({ key }: DifferenceRow, name: string): boolean {
  return typeof key === 'string' ? key === name : key.test(name);
}

/**
 * The first row that counts, with the prefix before the key. Null: no difference.
 * @param settings without the prefix
 */
export function differenceOf(
  rows: readonly DifferenceRow[],
  name: string,
  settings: Settings,
  prefix = '',
): Difference | null {
  const value = (settings[name] ?? '').trim();
  if (value === '') return null;
  const found = rows.find(
    (row) => covers(row, name) && !row.same?.includes(value.toLowerCase()) && row.when?.(settings) !== false,
  );
  return found === undefined
    ? null
    : { key: prefix + name, kind: found.kind, message: found.message, instead: found.instead ?? null };
}

const VERBS: Readonly<Record<DifferenceKind, string>> = {
  rejected: 'is rejected',
  ignored: 'has no effect',
  changed: 'works differently',
  replaced: 'is replaced',
};

/** One or two sentences that name the key, for a log or a validation. */
export function differenceText({ key, kind, message, instead }: Difference): string {
  return `"${key}" ${VERBS[kind]}. ${message}${instead === null ? '' : ` ${instead}`}`;
}
