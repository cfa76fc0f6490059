/** `Flatten`: the fields of nested structs and maps become fields of the outermost. Source: connect-runtime §7.2. */
import {
  isDecimal,
  type ConfigKey,
  type ConnectorConfig,
  type ConnectRecord,
  type DataError,
  type Field,
  type Schema,
  type Transformation,
  expectNesting,
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
/** Fields and structs of a flattened schema: structs that contain two of another, and so on, have more than memory. */
const MOST_FIELDS = 100_000;

/** A field of a struct and the flattened field, or fields, that replace it. */
interface Node {
  readonly name: string;
  /** The new field; null for a struct. */
  readonly to: string | null;
  readonly default: unknown;
  readonly inner: readonly Node[];
}

/** The struct whose fields are flattened. */
interface Enclosing {
  /** The names of the fields that lead to it. */
  readonly prefix: string;
  readonly optional: boolean;
  readonly default: unknown;
}

interface FlatSchema {
  readonly fields: [string, Schema][];
  /** The structs that contain the one that is being flattened. */
  readonly inside: Set<readonly Field[]>;
  parts: number;
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

  private flattenMap(value: unknown, prefix: string, flat: [string, unknown][], depth = 1): void {
    expectNesting(depth);
    for (const [key, member] of membersOf(requireMap(value, PURPOSE))) {
      const name = this.nameOf(prefix, String(key));
      if (isSchemalessMap(member)) this.flattenMap(member, name, flat, depth + 1);
      else if (member instanceof Date || isDecimal(member)) {
        throw dataError(
          `Flatten transformation was passed a value of type class ${javaClassOf(null, member)} which is not supported by Connect's data API`,
        );
      } else flat.push([name, member]);
    }
  }

  private readonly plan = perSchema((schema): Plan => {
    const flat: FlatSchema = { fields: [], inside: new Set(), parts: 0 };
    const nodes = this.nodes(schema, { prefix: '', optional: schema.optional, default: schema.default }, flat);
    return { nodes, schema: structOf(flat.fields, schemaBasics(schema)) };
  });

  private nodes(schema: Schema, struct: Enclosing, flat: FlatSchema): Node[] {
    const { fields, inside } = flat;
    const own = fieldsOf(schema);
    // An array keeps its elements, so that only structs have no end.
    if (inside.has(own)) throw unending(struct.prefix);
    inside.add(own);
    const nodes = own.map((field): Node => {
      if (++flat.parts > MOST_FIELDS) throw tooMany();
      const name = this.nameOf(struct.prefix, field.name);
      const isOptional = struct.optional || field.schema.optional;
      const outer = isNull(struct.default) ? undefined : readMember(struct.default as StructValue, field.name);
      const fallback = field.schema.default ?? outer ?? undefined;
      switch (field.schema.type) {
        case 'STRUCT':
          return {
            name: field.name,
            to: null,
            default: null,
            inner: this.nodes(field.schema, { prefix: name, optional: isOptional, default: fallback }, flat),
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
    inside.delete(own);
    return nodes;
  }
}

function unending(name: string): DataError {
  return dataError(`Flatten transformation does not support structs that contain themselves (for field ${name}).`);
}

function tooMany(): DataError {
  return dataError(`Flatten transformation does not support more than ${MOST_FIELDS} fields.`);
}

function flatten(struct: StructValue | null, nodes: readonly Node[], flat: Record<string, unknown>): void {
  for (const node of nodes) {
    const value = (struct && readMember(struct, node.name)) ?? null;
    if (node.to === null) flatten(value as StructValue | null, node.inner, flat);
    else setMember(flat, node.to, struct === null ? null : (value ?? node.default));
  }
}
