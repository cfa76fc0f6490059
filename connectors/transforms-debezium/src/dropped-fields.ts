/** Fields to drop, as listed in a header of the record. Source: cdc-postgres §7.10, `drop.fields.*`. */
import { readMember, schemaBasics, structSchema, type ConnectRecord, type Field, type Schema } from '@millrace/sdk';
import { type StructValue } from './structs';

interface Reduced {
  readonly schema: Schema;
  readonly kept: readonly Field[];
}

/** Results are cached, because few lists differ. */
const MANY_LISTS = 64;

export class DroppedFields {
  private readonly known = new WeakMap<Schema, Map<string, Reduced>>();

  /** @param keepCompatible required fields stay */
  constructor(
    private readonly header: string,
    private readonly fromKey: boolean,
    private readonly keepCompatible: boolean,
  ) {}

  apply<R extends ConnectRecord>(record: R): R {
    const names = record.headers?.find(({ key }) => key === this.header)?.value;
    if (!Array.isArray(names) || names.length === 0) return record;
    const key = this.fromKey ? this.reduced(record.keySchema, record.key, names as string[]) : null;
    const value = this.reduced(record.valueSchema, record.value, names as string[]);
    if (!key && !value) return record;
    return {
      ...record,
      ...(key && { keySchema: key[0], key: key[1] }),
      ...(value && { valueSchema: value[0], value: value[1] }),
    };
  }

  /** Null: nothing changes. */
  private reduced(schema: Schema | null, value: unknown, names: readonly string[]): [Schema, StructValue] | null {
    if (!schema?.fields || value === null || value === undefined) return null;
    const plan = this.plan(schema, names);
    if (plan.kept.length === schema.fields.length && this.keepCompatible) return null;
    const struct = value as StructValue;
    // With defaults in place of nulls, because Java leaves the work to ReplaceField.
    const kept = plan.kept.map(
      ({ name, schema: of }) => [name, readMember(struct, name) ?? of.default ?? null] as const,
    );
    return [plan.schema, Object.fromEntries(kept)];
  }

  private plan(schema: Schema, names: readonly string[]): Reduced {
    let lists = this.known.get(schema);
    if (!lists || lists.size >= MANY_LISTS) this.known.set(schema, (lists = new Map()));
    const list = names.join(',');
    let plan = lists.get(list);
    if (!plan) {
      const kept = (schema.fields ?? []).filter((field) => {
        return !names.includes(field.name) || (this.keepCompatible && !field.schema.optional);
      });
      const reduced = structSchema(
        kept.map((field) => [field.name, field.schema]),
        schemaBasics(schema),
      );
      lists.set(list, (plan = { schema: reduced, kept }));
    }
    return plan;
  }
}
