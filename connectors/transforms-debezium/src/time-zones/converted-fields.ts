/** Which fields of an event change their time zone (`include.list`, `exclude.list`). Source: cdc-postgres §7.13. */

/** The blocks of an event whose fields may be converted. */
export type Block = 'before' | 'after' | 'source';
/** Whether a field is converted; null: no field of the block is. */
export type FieldChoice = (name: string) => boolean;
type BlockChoice = (block: Block) => FieldChoice | null;

const NAME = /^["._\w\s]+$/;
const BLOCKS = ['source', 'before', 'after'] as const;

/** Whether Java accepts the list: a prefix and a name, perhaps with a field, and then names, perhaps with a field. */
export function isListOfRules(items: readonly string[]): boolean {
  return items.every((item, i) => {
    const parts = item.split(':');
    const [least, most] = i === 0 ? [2, 3] : [1, 2];
    return parts.length >= least && parts.length <= most && parts.every((part) => NAME.test(part));
  });
}

export class ConvertedFields {
  private readonly topics = new Map<string, Set<string>>();
  private readonly tables = new Map<string, Set<string>>();
  private readonly either = new Map<string, Set<string>>();
  private readonly included: boolean;

  /** At most one of the lists has items; without any, all fields of the rows are converted. */
  constructor(include: readonly string[], exclude: readonly string[]) {
    this.included = include.length > 0;
    let prefix: string | null = null;
    for (const item of this.included ? include : exclude) {
      const parts = item.split(':');
      const prefixed = parts.length > 1 && /^(?:source|topic)$/i.test(parts[0] as string);
      // It holds for the items after it too.
      if (prefixed) prefix = parts.shift() as string;
      const [name, field] = parts as [string, string?];
      const rules = prefix === 'topic' ? this.topics : prefix === 'source' ? this.tables : this.either;
      const fields = rules.get(name) ?? new Set<string>();
      if (field !== undefined) fields.add(field);
      rules.set(name, fields);
    }
  }

  /** Null: nothing of the event is converted. */
  of(topic: string, table: string | null): BlockChoice | null {
    const fields =
      this.topics.get(topic) ??
      (table === null ? undefined : this.tables.get(table)) ??
      this.either.get(topic) ??
      (table === null ? undefined : this.either.get(table));
    if (this.included) return fields === undefined ? null : fields.size === 0 ? everything : listed(fields, true);
    if (fields === undefined) return everything;
    return fields.size === 0 ? null : listed(fields, false);
  }
}

function everything(block: Block): FieldChoice | null {
  return block === 'source' ? null : () => true;
}

/** `source.x`, `before.x` and `after.x` are of one block; other fields of both rows. */
function listed(fields: ReadonlySet<string>, included: boolean): BlockChoice {
  const of: Record<Block, Set<string>> = { before: new Set(), after: new Set(), source: new Set() };
  for (const field of fields) {
    const block = BLOCKS.find((one) => field.startsWith(`${one}.`));
    if (block) of[block].add(field.slice(block.length + 1));
    else {
      of.before.add(field);
      of.after.add(field);
    }
  }
  return (block) => {
    if (block === 'source' && of.source.size === 0) return null;
    return (name) => of[block].has(name) === included;
  };
}
