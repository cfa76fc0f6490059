/**
 * Tables whose rows are grids, so that rows outside the window cost nothing, and become cards on a narrow one. The
 * roles are explicit: with another `display`, some browsers forget what the elements are.
 */
import type { ComponentChildren, JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Icon } from './icon';
import { memo } from './memo';
import { nextSort, sorted, type Sort, type SortValue } from './sorting';

export interface Column<T> {
  readonly key: string;
  readonly label: ComponentChildren;
  /** Present: the table can be sorted by it. */
  readonly value?: (row: T) => SortValue;
  readonly cell: (row: T) => ComponentChildren;
  readonly align?: 'end';
}

interface HeadProps<T> {
  readonly columns: readonly Column<T>[];
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
  /** Before the columns, such as a box that selects all. */
  readonly first?: ComponentChildren;
}

export function TableHead<T>({ columns, sort, onSort, first }: HeadProps<T>): JSX.Element {
  return (
    <thead role="rowgroup">
      <tr role="row" class="row row-head">
        {first !== undefined && (
          <td role="cell" class="cell cell-select">
            {first}
          </td>
        )}
        {columns.map(({ key, label, value, align }) => (
          <th
            key={key}
            role="columnheader"
            scope="col"
            class={`cell cell-${key}${align ? ' end' : ''}`}
            aria-sort={value && (sort.key === key ? (sort.isDescending ? 'descending' : 'ascending') : 'none')}
          >
            {value ? (
              <button type="button" class="sort" onClick={() => onSort(nextSort(sort, key))}>
                <span>{label}</span>
                {sort.key === key && <Icon name={sort.isDescending ? 'down' : 'up'} />}
              </button>
            ) : (
              label
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** Cells of one row. On a narrow window each shows its column's label. */
export function Cells<T>({ columns, row }: { readonly columns: readonly Column<T>[]; readonly row: T }): JSX.Element {
  return (
    <>
      {columns.map(({ key, label, cell, align }) => (
        <td
          key={key}
          role="cell"
          class={`cell cell-${key}${align ? ' end' : ''}`}
          data-label={typeof label === 'string' ? label : undefined}
        >
          {cell(row)}
        </td>
      ))}
    </>
  );
}

interface RowProps<T> {
  readonly columns: readonly Column<T>[];
  readonly row: T;
}
const Row = memo(function Row({ columns, row }: RowProps<unknown>): JSX.Element {
  return (
    <tr role="row" class="row">
      <Cells columns={columns} row={row} />
    </tr>
  );
});

export interface TableProps<T> {
  /** Accessible name. */
  readonly label: string;
  /** Class that sets `--columns`, the grid's tracks. */
  readonly kind: string;
  /** The same array at each rendering, so that only changed rows are rendered again. */
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string | number;
  readonly initialSort?: Sort;
  readonly empty?: ComponentChildren;
}

export function Table<T>({ label, kind, columns, rows, keyOf, initialSort, empty }: TableProps<T>): JSX.Element {
  const [sort, setSort] = useState<Sort>(initialSort ?? { key: '', isDescending: false });
  const value = columns.find(({ key }) => key === sort.key)?.value;
  const shown = useMemo(() => (value ? sorted(rows, value, sort.isDescending) : rows), [rows, value, sort]);
  if (rows.length === 0 && empty !== undefined) return <>{empty}</>;
  return (
    <table role="table" class={`table ${kind}`} aria-label={label}>
      <TableHead columns={columns} sort={sort} onSort={setSort} />
      <tbody role="rowgroup">
        {shown.map((row) => (
          <Row key={keyOf(row)} columns={columns as readonly Column<unknown>[]} row={row} />
        ))}
      </tbody>
    </table>
  );
}
