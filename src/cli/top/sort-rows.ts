import type { Figures } from './rows';

export const SORT_KEYS = ['rate', 'lag', 'errors', 'name'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

const FIGURES: Readonly<Record<Exclude<SortKey, 'name'>, (row: Figures) => readonly (number | null)[]>> = {
  rate: ({ recordsPerSecond }) => [recordsPerSecond],
  lag: ({ lagSeconds, lagRecords }) => [lagSeconds, lagRecords],
  errors: ({ errors }) => [errors],
};

/** Largest first, unknown last; equal ones stay in their order. */
export function sortRows<T extends Figures>(rows: readonly T[], key: SortKey): readonly T[] {
  if (key === 'name') return rows;
  const figuresOf = FIGURES[key];
  return [...rows].sort((a, b) => {
    const others = figuresOf(b);
    return figuresOf(a).reduce<number>((order, value, i) => order || (others[i] ?? -1) - (value ?? -1), 0);
  });
}
