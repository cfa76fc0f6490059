/** Changes of tables' definitions, and who may not know them yet. */
import type { EventRecord } from './event-record';

/** What a statement changed of a table's definition. */
export interface DefinitionChange {
  readonly schema: string;
  readonly table: string;
  /** Names before and after it. */
  readonly columns: readonly string[];
  readonly key: boolean;
  /** Only a default or the key: messages of decoderbufs do not show it. */
  readonly isSilent: boolean;
}

/** Whether a difference is about the columns that it changes, their order, or the key. */
export function concerns({ columns, key }: DefinitionChange, path: string): boolean {
  const parts = path.split('.');
  return columns.some((name) => parts.includes(name)) || parts.at(-1) === 'order' || (key && !path.startsWith('value'));
}

export class DefinitionChanges {
  private readonly byTransaction = new Map<number, DefinitionChange>();
  /** By topic, until a row that was written later was compared. */
  private readonly byTopic = new Map<string, DefinitionChange[]>();
  private readonly silentByTopic = new Map<string, DefinitionChange[]>();
  private previous: DefinitionChange | null = null;

  /**
   * Call when all earlier transactions are compared.
   * @param transaction its id if it also changes rows; otherwise null
   */
  add(change: DefinitionChange, transaction: number | null): void {
    if (transaction !== null) this.byTransaction.set(transaction, change);
    const topic = `compared.${change.schema}.${change.table}`.replace(/[^\w.-]/g, '_');
    const changes = change.isSilent ? this.silentByTopic : this.byTopic;
    changes.set(topic, [...(changes.get(topic) ?? []), change]);
  }

  /** Of the table of the record, in its transaction. */
  ofTransaction({ value: [, json] }: EventRecord): DefinitionChange | null {
    // A tombstone follows its delete.
    if (json === null) return this.previous;
    this.previous = null;
    if (this.byTransaction.size === 0) return null;
    const { source } = JSON.parse(json) as { source: { txId: number; schema: string; table: string } };
    const change = this.byTransaction.get(source.txId);
    if (change?.schema === source.schema && change.table === source.table) this.previous = change;
    return this.previous;
  }

  /** Those that messages of decoderbufs show, and after which no inserted or updated row of the table was compared. */
  unread({ topic }: EventRecord): readonly DefinitionChange[] {
    return this.byTopic.get(topic) ?? [];
  }

  /** A row that was inserted or updated after the changes of its table was compared. */
  read({ topic }: EventRecord): void {
    this.byTopic.delete(topic);
  }

  /** All of the table: each connector knows them when it next reads the catalog. */
  silent({ topic }: EventRecord): readonly DefinitionChange[] {
    return this.silentByTopic.get(topic) ?? [];
  }
}
