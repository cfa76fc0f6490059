/** The variables of an expression about a record. Source: cdc-postgres §7.13. */
import type { CelInput } from '@bufbuild/cel';
import { readMember, type ConnectRecord, type Schema } from '@millrace/sdk';
import { celValue, fieldSchema, type ReadLimit } from './cel-values';

/** Each is converted, and counts, when the expression reads it. The names of its members are those of variables. */
export class RecordVariables {
  readonly #record: ConnectRecord;
  readonly #limit: ReadLimit;

  constructor(record: ConnectRecord, limit: ReadLimit) {
    this.#record = record;
    this.#limit = limit;
  }

  /**
   * A class whose instances also have members that are named by a path, such as `value.after.id`. CEL reads these
   * first, because a variable may have such a name, and so neither creates the maps on the way nor searches its own
   * types for each prefix of the path.
   */
  static withPaths(paths: ReadonlySet<string>): typeof RecordVariables {
    const Variables = class extends RecordVariables {};
    for (const path of paths) {
      const [root, ...names] = path.split('.');
      if (root !== 'key' && root !== 'value') continue;
      Object.defineProperty(Variables.prototype, path, {
        get(this: RecordVariables) {
          const { key, keySchema, value, valueSchema } = this.#record;
          return root === 'key' ? this.#member(keySchema, key, names) : this.#member(valueSchema, value, names);
        },
      });
    }
    return Variables;
  }

  get key(): CelInput {
    return celValue(this.#record.keySchema, this.#record.key, this.#limit);
  }

  get value(): CelInput {
    return celValue(this.#record.valueSchema, this.#record.value, this.#limit);
  }

  get keySchema(): CelInput {
    return schemaFacts(this.#record.keySchema, this.#limit);
  }

  get valueSchema(): CelInput {
    return schemaFacts(this.#record.valueSchema, this.#limit);
  }

  get topic(): CelInput {
    return celValue(null, this.#record.topic, this.#limit);
  }

  /** `header.<name>.value`; of headers with one name, the last. */
  get header(): CelInput {
    const named = new Map<string, CelInput>();
    for (const { key, schema, value } of this.#record.headers ?? []) {
      named.set(key, { value: celValue(schema, value, this.#limit), schema: schemaFacts(schema, this.#limit) });
    }
    return named;
  }

  /** Undefined unless all but the last are structs with a schema; CEL then reads one after the other, or fails. */
  #member(of: Schema | null, struct: unknown, names: readonly string[]): CelInput | undefined {
    let schema = of;
    let value = struct;
    for (const name of names) {
      if (schema?.type !== 'STRUCT' || value === null || value === undefined) return undefined;
      const field = fieldSchema(schema, name);
      if (field === undefined) return undefined;
      value = readMember(value as Readonly<Record<string, unknown>>, name) ?? field.default ?? null;
      schema = field;
    }
    return celValue(schema, value, this.#limit);
  }
}

/** `name`, `type`, `version`, `optional`, `doc`, `parameters`. */
function schemaFacts(schema: Schema | null, limit: ReadLimit): CelInput {
  if (schema === null) return null;
  const { name, type, version, optional, doc, parameters } = schema;
  return celValue(null, { name, type, version, optional, doc, parameters: parameters ?? {} }, limit);
}
