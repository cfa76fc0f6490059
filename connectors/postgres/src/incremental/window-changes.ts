/** Tells the window of a chunk which row a change of the stream is of, and whether its event has all values. */
import type { CatalogTable } from '../database/catalog';
import type { Cells } from '../events/row';
import type { TableModel } from '../events/table-model';
import type { OldTuple } from '../replication/change-observer';
import type { ChunkWindow } from './chunk-window';
import { identityText, rowIdentity, type RowIdentity } from './row-identity';

export class WindowChanges {
  private identity: RowIdentity;
  private model: TableModel;

  constructor(
    private readonly window: ChunkWindow,
    private readonly table: CatalogTable,
  ) {
    this.identity = window.identity;
    this.model = window.model;
  }

  /** @param model that of the cells, which is another one around DDL */
  changed(op: 'c' | 'u' | 'd', model: TableModel, newCells: Cells, oldCells: Cells, old: OldTuple, xid: number): void {
    const { window } = this;
    const identity = this.identityOf(model);
    const { isUnique, isInOldKey } = identity;
    let from: string | null = null;
    if (op !== 'c') {
      const hasOld = old === 'complete' || (isInOldKey && old === 'key');
      if (hasOld) from = identityText(identity, oldCells);
      if (hasOld ? from === null : !isInOldKey || op === 'd') return window.invalidate(xid);
    }
    // A new row that equals others says nothing about them.
    let to: string | null = null;
    if (op !== 'd' && isUnique) {
      to = identityText(identity, newCells);
      if (to === null) return window.invalidate(xid);
    }
    const unsent = to !== null && op === 'u' && lacksValues(model, newCells) ? newCells : null;
    if (unsent !== null && model !== window.model) return window.invalidate(xid);
    window.change({ xid, from: from === to ? null : from, to, unsent });
  }

  private identityOf(model: TableModel): RowIdentity {
    if (model !== this.model) {
      this.model = model;
      this.identity = model === this.window.model ? this.window.identity : rowIdentity(this.table, model);
    }
    return this.identity;
  }
}

function lacksValues({ decoders }: TableModel, cells: Cells): boolean {
  for (let i = 0; i < decoders.length; i++) if (cells[i] === undefined && decoders[i] !== null) return true;
  return false;
}
