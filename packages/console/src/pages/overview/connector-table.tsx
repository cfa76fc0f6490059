/** The list. Of 500 rows, those in the window are rendered at each answer, the others when their state changes. */
import { Component, createRef, type JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ConnectorRow } from '../../worker-api';
import { Checkbox } from '../../parts/form';
import { printable } from '../../parts/printable';
import type { Sort } from '../../parts/sorting';
import { Cells, TableHead } from '../../parts/table';
import { memo } from '../../parts/memo';
import { COLUMNS, type Entry } from './columns';
import { differsInState } from './rows';
import type { Selection } from './use-selection';

export interface ConnectorTableProps {
  readonly rows: readonly ConnectorRow[];
  readonly rates: ReadonlyMap<string, readonly (number | null)[]>;
  readonly stepMs: number;
  /** Another one lists other rows. */
  readonly filterKey: string;
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
  readonly selection: Selection;
}

/** As in the stylesheet, of wide windows. */
const ROW_HEIGHT = 57;
const NO_RATES: readonly (number | null)[] = [];

export function ConnectorTable(props: ConnectorTableProps): JSX.Element {
  const { rows, rates, stepMs, filterKey, sort, onSort, selection } = props;
  const { names, rows: selected, toggle, toggleAll } = selection;
  const count = useGrowing(rows.length, filterKey);
  const all = (
    <Checkbox
      aria-label={`Select all ${rows.length} shown connectors`}
      checked={selected.length === rows.length}
      isMixed={selected.length > 0 && selected.length < rows.length}
      onChange={toggleAll}
    />
  );
  return (
    <table
      role="table"
      class="table columns-overview"
      aria-label="Connectors"
      aria-busy={count < rows.length || undefined}
    >
      <TableHead columns={COLUMNS} sort={sort} onSort={onSort} first={all} />
      {/* Keeps the place of the rows to come, for the scroll bar. */}
      <tbody role="rowgroup" style={{ paddingBottom: (rows.length - count) * ROW_HEIGHT }}>
        {rows.slice(0, count).map((row) => (
          <Row
            key={row.name}
            row={row}
            rates={rates.get(row.name) ?? NO_RATES}
            stepMs={stepMs}
            isSelected={names.has(row.name)}
            toggle={toggle}
          />
        ))}
      </tbody>
    </table>
  );
}

/** More than a window shows. */
const FIRST = 24;
const STEP = 24;

/**
 * Renders a long list a part per frame, so that it never keeps the page from answering to keys and clicks.
 * @param key of what is listed, such as the filter: another list starts from its first rows
 * @returns how many of `length` rows to render now; it grows by itself
 */
function useGrowing(length: number, key: string): number {
  const growth = useRef({ key, limit: FIRST });
  const [, render] = useState(0);
  if (growth.current.key !== key) growth.current = { key, limit: FIRST };
  const { limit } = growth.current;
  useEffect(() => {
    if (limit >= length) return;
    // A hidden page has no frames, but its timers run.
    const timer = setTimeout(() => {
      growth.current = { key, limit: limit + STEP };
      render((times) => times + 1);
    }, 16);
    return () => clearTimeout(timer);
  }, [key, limit, length]);
  return Math.min(limit, length);
}

interface RowProps extends Entry {
  readonly isSelected: boolean;
  readonly toggle: Selection['toggle'];
}

/** One observer of all rows: which are in or near the window. */
const seen = new WeakMap<Element, (isVisible: boolean) => void>();
const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) seen.get(target)?.(isIntersecting);
  },
  { rootMargin: '400px' },
);

/** Not rendered again when only the selection changes. */
const EntryCells = memo(function EntryCells(entry: Entry): JSX.Element {
  return <Cells columns={COLUMNS} row={entry} />;
});

class Row extends Component<RowProps> {
  private readonly element = createRef<HTMLTableRowElement>();
  private isVisible = true;
  /** What was not rendered, because the row is outside the window. */
  private isBehind = false;

  override componentDidMount(): void {
    const element = this.element.current as HTMLTableRowElement;
    seen.set(element, (isVisible) => {
      this.isVisible = isVisible;
      if (isVisible && this.isBehind) this.forceUpdate();
    });
    observer.observe(element);
  }

  override componentWillUnmount(): void {
    observer.unobserve(this.element.current as HTMLTableRowElement);
  }

  override shouldComponentUpdate(next: RowProps): boolean {
    const { row, rates, isSelected } = this.props;
    if (next.isSelected !== isSelected) return true;
    if (next.row === row && next.rates === rates) return false;
    if (this.isVisible || differsInState(row, next.row)) return true;
    this.isBehind = true;
    return false;
  }

  override render(): JSX.Element {
    const { row, rates, stepMs, isSelected, toggle } = this.props;
    this.isBehind = false;
    return (
      <tr ref={this.element} role="row" class={`row${isSelected ? ' row-selected' : ''}`} data-summary={row.summary}>
        <td role="cell" class="cell cell-select">
          <Checkbox
            aria-label={`Select ${printable(row.name)}`}
            checked={isSelected}
            onChange={(checked, event) => toggle(row.name, checked, (event as MouseEvent).shiftKey)}
          />
        </td>
        <EntryCells row={row} rates={rates} stepMs={stepMs} />
      </tr>
    );
  }
}
