/** Order of a table's rows. */
import { compareNames } from './format';

export interface Sort {
  readonly key: string;
  readonly isDescending: boolean;
}

export type SortValue = string | number | null;

/** Unknown values are last in both orders; equal rows stay in theirs. */
export function sorted<T>(rows: readonly T[], valueOf: (row: T) => SortValue, isDescending: boolean): readonly T[] {
  const sign = isDescending ? -1 : 1;
  return rows
    .map((row) => [valueOf(row), row] as const)
    .sort(([a], [b]) => {
      if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
      return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : compareNames(String(a), String(b)));
    })
    .map(([, row]) => row);
}

/** @returns the order after a click on the header of `key` */
export function nextSort(sort: Sort, key: string): Sort {
  return { key, isDescending: sort.key === key && !sort.isDescending };
}

/** `rate` or `-rate`, for an address. */
export function formatSort({ key, isDescending }: Sort): string {
  return `${isDescending ? '-' : ''}${key}`;
}

export function parseSort(text: string | undefined, keys: readonly string[], fallback: Sort): Sort {
  const isDescending = text?.startsWith('-') ?? false;
  const key = isDescending ? text?.slice(1) : text;
  return key !== undefined && keys.includes(key) ? { key, isDescending } : fallback;
}
