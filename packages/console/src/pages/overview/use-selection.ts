/** Connectors that are selected: only those that the list shows count, so that no action reaches a hidden one. */
import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import type { ConnectorRow } from '../../worker-api';
import { namesBetween } from './rows';

export interface Selection {
  readonly names: ReadonlySet<string>;
  /** Selected and shown. */
  readonly rows: readonly ConnectorRow[];
  /** Selected, but hidden by the filter. */
  readonly hidden: number;
  /** @param isRange also all between the last one and this one */
  readonly toggle: (name: string, isSelected: boolean, isRange: boolean) => void;
  readonly toggleAll: (isSelected: boolean) => void;
  readonly clear: () => void;
}

/** @param all connectors that exist, shown or not */
export function useSelection(shown: readonly ConnectorRow[], all: readonly ConnectorRow[]): Selection {
  const [names, setNames] = useState<ReadonlySet<string>>(new Set());
  const anchor = useRef<string | null>(null);
  const latest = useRef(shown);
  latest.current = shown;
  const change = useCallback((changed: readonly string[], isSelected: boolean): void => {
    setNames((before) => {
      const after = new Set(before);
      for (const name of changed)
        if (isSelected) after.add(name);
        else after.delete(name);
      return after;
    });
  }, []);
  const toggle = useCallback((name: string, isSelected: boolean, isRange: boolean): void => {
    const from = isRange ? anchor.current : null;
    change(from === null ? [name] : namesBetween(latest.current, from, name), isSelected);
    anchor.current = name;
  }, []);
  const toggleAll = useCallback((isSelected: boolean): void => {
    change(
      latest.current.map(({ name }) => name),
      isSelected,
    );
  }, []);
  const clear = useCallback(() => setNames(new Set()), []);
  const rows = useMemo(() => shown.filter(({ name }) => names.has(name)), [shown, names]);
  const selected = useMemo(() => all.filter(({ name }) => names.has(name)).length, [all, names]);
  return { names, rows, hidden: selected - rows.length, toggle, toggleAll, clear };
}
