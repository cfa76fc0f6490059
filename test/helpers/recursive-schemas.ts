/** Schemas that contain themselves, as converters of a schema registry read them. */
import {
  mapSchema,
  arraySchema,
  schema,
  structSchema,
  type Field,
  type Schema,
  type SchemaOptions,
} from '@millrace/sdk';

/** A struct whose fields may contain `self`, an optional reference to it. */
export function recursiveStruct(
  fieldsOf: (self: Schema) => readonly (readonly [string, Schema])[],
  options: SchemaOptions = {},
): Schema {
  const fields: Field[] = [];
  const made: Schema = { ...structSchema([], { name: 'Node', ...options }), fields };
  const self = Object.freeze({ ...made, optional: true });
  fieldsOf(self).forEach(([name, of], index) => fields.push({ name, index, schema: of }));
  return Object.freeze(made);
}

/** `{id, next, list, map}`. */
export const NODE = recursiveStruct((self) => [
  ['id', schema('INT32')],
  ['next', self],
  ['list', arraySchema(self, { optional: true })],
  ['map', mapSchema(schema('STRING'), self, { optional: true })],
]);

export interface Node {
  id: number;
  next: Node | null;
  list: Node[] | null;
  map: Map<string, Node> | null;
}

export const leaf = (id: number): Node => ({ id, next: null, list: null, map: null });

/** A list of `length` nodes, each in `next` of the one before. */
export function chain(length: number): Node {
  let node = leaf(length);
  for (let id = length - 1; id > 0; id--) node = { ...leaf(id), next: node };
  return node;
}

/** 2^`levels` parts, of `levels` objects. */
export function doubled(levels: number): Schema {
  let of: Schema = structSchema([['x', schema('STRING', { optional: true })]], { optional: true });
  for (let i = 0; i < levels; i++) of = structSchema([['a', of], ['b', of]], { optional: true }); // prettier-ignore
  return of;
}
