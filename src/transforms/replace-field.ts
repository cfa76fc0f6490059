/** `ReplaceField`: keeps, drops and renames fields. Source: connect-runtime §7.2. */
import {
  schemaBasics,
  type ConfigKey,
  type ConnectorConfig,
  type ConnectRecord,
  type Field,
  type ParsedValue,
  type Schema,
  type Transformation,
  setMember,
} from '@millrace/sdk';
import { namesKey, REPLACE_NULL, Settings } from './settings';
import { copiedValue, isNull, membersOf, requireMap, requireStruct } from './shapes';
import type { Side } from './side';
import { fieldsOf, perSchema, structOf } from './struct-schemas';

const names = (name: string, documentation: string): ConfigKey =>
  namesKey({ name, default: [], importance: 'MEDIUM', documentation }, { mayBeEmpty: true });

export const REPLACE_FIELD_CONFIG: readonly ConfigKey[] = [
  names('exclude', 'Fields to drop, even if include names them.'),
  names('include', 'The only fields to keep; none: all.'),
  {
    name: 'renames',
    type: 'LIST',
    default: [],
    importance: 'MEDIUM',
    documentation: 'New names of fields, as pairs old:new.',
    validator: invalidRename,
  },
  REPLACE_NULL,
];

/** Java's `split(":")` drops empty parts at the end. */
function parts(mapping: string): string[] {
  return mapping.replace(/(?<!:):+$/, '').split(':');
}

function invalidRename(value: ParsedValue): string | null {
  const wrong = (value as readonly string[] | null)?.find((mapping) => parts(mapping).length !== 2);
  return wrong === undefined ? null : `Invalid rename mapping: ${wrong}`;
}

const PURPOSE = 'field replacement';

interface Plan {
  readonly fields: readonly { readonly from: Field; readonly to: string }[];
  readonly schema: Schema;
}

export class ReplaceField implements Transformation {
  private exclude: ReadonlySet<string> = new Set();
  private include: ReadonlySet<string> = new Set();
  private renames: ReadonlyMap<string, string> = new Map();
  private replaceNull = true;

  constructor(private readonly side: Side) {}

  configure(config: ConnectorConfig): void {
    const settings = new Settings(REPLACE_FIELD_CONFIG, config);
    this.exclude = new Set(settings.list('exclude'));
    this.include = new Set(settings.list('include'));
    this.renames = new Map(settings.list('renames').map((mapping) => parts(mapping) as [string, string]));
    this.replaceNull = settings.flag('replace.null.with.default');
  }

  apply<R extends ConnectRecord>(record: R): R {
    const value = this.side.valueOf(record);
    if (isNull(value)) return record;
    const schema = this.side.schemaOf(record);
    if (schema === null) return this.side.replaced(record, null, this.schemaless(value));
    const struct = requireStruct(schema, value, PURPOSE);
    const plan = this.plan(schema);
    const updated: Record<string, unknown> = {};
    for (const { from, to } of plan.fields) setMember(updated, to, copiedValue(struct, from, this.replaceNull));
    return this.side.replaced(record, plan.schema, updated);
  }

  private schemaless(value: unknown): unknown {
    const map = requireMap(value, PURPOSE);
    const kept = membersOf(map)
      .filter(([key]) => this.keeps(key as string))
      .map(([key, member]) => [this.renames.get(key as string) ?? key, member] as const);
    return map instanceof Map ? new Map(kept) : Object.fromEntries(kept);
  }

  private keeps(name: string): boolean {
    return !this.exclude.has(name) && (this.include.size === 0 || this.include.has(name));
  }

  private readonly plan = perSchema((schema): Plan => {
    const fields = fieldsOf(schema)
      .filter(({ name }) => this.keeps(name))
      .map((from) => ({ from, to: this.renames.get(from.name) ?? from.name }));
    return {
      fields,
      schema: structOf(
        fields.map(({ from, to }) => [to, from.schema]),
        schemaBasics(schema),
      ),
    };
  });
}
