/** `Flatten`: the fields of nested structs and maps become fields of the outermost. Source: connect-runtime §7.2. */
import {
  isDecimal,
  type ConfigKey,
  type ConnectorConfig,
  type ConnectRecord,
  type Schema,
  type Transformation,
  readMember,
  schemaBasics,
  setMember,
} from '@millrace/sdk';
import { dataError } from './failures';
import { Settings } from './settings';
import { isNull, isSchemalessMap, javaClassOf, membersOf, requireMap, requireStruct, type StructValue } from './shapes';
import type { Side } from './side';
import { fieldsOf, perSchema, redefined, structOf } from './struct-schemas';

export const FLATTEN_CONFIG: readonly ConfigKey[] = [
  {
    name: 'delimiter',
    type: 'STRING',
    default: '.',
    importance: 'MEDIUM',
    documentation: 'What stands between the names that make up a new one.',
  },
];

const PURPOSE = 'flattening';

/** A field of a struct and the flattened field, or fields, that replace it. */
interface Node {
  readonly name: string;
  /** The new field; null for a struct. */
  readonly to: string | null;
  readonly default: unknown;
  readonly inner: readonly Node[];
}

interface Plan {
  readonly nodes: readonly Node[];
  readonly schema: Schema;
}

export class Flatten implements Transformation {
  private delimiter = '.';

  constructor(private readonly side: Side) {}

  configure(config: ConnectorConfig): void {
    this.delimiter = new Settings(FLATTEN_CONFIG, config).text('delimiter');
  }

  apply<R extends ConnectRecord>(record: R): R {
    const value = this.side.valueOf(record);
    const schema = this.side.schemaOf(record);
    if (isNull(value)) return record;
    if (schema === null) {
      const members: [string, unknown][] = [];
      this.flattenMap(value, '', members);
      return this.side.replaced(record, null, Object.fromEntries(members));
    }
    const struct = requireStruct(schema, value, PURPOSE);
    const plan = this.plan(schema);
    const flat: Record<string, unknown> = {};
    flatten(struct, plan.nodes, flat);
    return this.side.replaced(record, plan.schema, flat);
  }

  private nameOf(prefix: string, name: string): string {
    return prefix === '' ? name : prefix + this.delimiter + name;
  }

  private flattenMap(value: unknown, prefix: string, flat: [string, unknown][]): void {
    for (const [key, member] of membersOf(requireMap(value, PURPOSE))) {
      const name = this.nameOf(prefix, String(key));
      if (isSchemalessMap(member)) this.flattenMap(member, name, flat);
      else if (member instanceof Date || isDecimal(member)) {
        throw dataError(
          `Flatten transformation was passed a value of type class ${javaClassOf(null, member)} which is not supported by Connect's data API`,
        );
      } else flat.push([name, member]);
    }
  }

  private readonly plan = perSchema((schema): Plan => {
    const fields: [string, Schema][] = [];
    const nodes = this.nodes(schema, '', schema.optional, schema.default, fields);
    return { nodes, schema: structOf(fields, schemaBasics(schema)) };
  });

  /** @param structDefault the enclosing struct's default */
  private nodes(
    schema: Schema,
    prefix: string,
    optional: boolean,
    structDefault: unknown,
    fields: [string, Schema][],
  ): Node[] {
    return fieldsOf(schema).map((field): Node => {
      const name = this.nameOf(prefix, field.name);
      const isOptional = optional || field.schema.optional;
      const outer = isNull(structDefault) ? undefined : readMember(structDefault as StructValue, field.name);
      const fallback = field.schema.default ?? outer ?? undefined;
      switch (field.schema.type) {
        case 'STRUCT':
          return {
            name: field.name,
            to: null,
            default: null,
            inner: this.nodes(field.schema, name, isOptional, fallback, fields),
          };
        case 'MAP':
          throw dataError(
            `Flatten transformation does not support ${field.schema.type} for record with schemas (for field ${name}).`,
          );
        default:
          fields.push([name, redefined(field.schema, isOptional, fallback)]);
          return { name: field.name, to: name, default: field.schema.default ?? null, inner: [] };
      }
    });
  }
}

function flatten(struct: StructValue | null, nodes: readonly Node[], flat: Record<string, unknown>): void {
  for (const node of nodes) {
    const value = (struct && readMember(struct, node.name)) ?? null;
    if (node.to === null) flatten(value as StructValue | null, node.inner, flat);
    else setMember(flat, node.to, struct === null ? null : (value ?? node.default));
  }
}
