/**
 * Whether a registered schema can hold all values of a Connect schema. Its types, members and null are compared; other
 * constraints, such as `maximum`, are for `json.fail.invalid.schema`.
 */
import { LogicalName, type Schema } from '@millrace/sdk';
import { enumValues, isUnion } from './sum-types';
import type { Shape } from './shape';
import { isObjectMap } from './schema-text';

export interface FitProblem {
  /** E.g. `after.price`; empty: the value itself. */
  readonly path: string;
  /** Continues a sentence that starts with the place. */
  readonly reason: string;
}

const BITS: Readonly<Partial<Record<Schema['type'], number>>> = { INT8: 8, INT16: 16, INT32: 32, INT64: 64 };

export class SchemaFit {
  /** Null also for pairs that are being compared: structs may contain themselves. */
  private readonly known = new Map<Schema, Map<Shape, FitProblem | null>>();

  constructor(private readonly settings: { readonly ignoreDefaultForNullables: boolean }) {}

  /** Null: it can. */
  problem(schema: Schema, shape: Shape, path = ''): FitProblem | null {
    let shapes = this.known.get(schema);
    if (shapes === undefined) this.known.set(schema, (shapes = new Map()));
    const known = shapes.get(shape);
    if (known !== undefined) return known;
    shapes.set(shape, null);
    const found = this.compare(schema, shape, path);
    shapes.set(shape, found);
    return found;
  }

  /** Whether null is written for a missing value. */
  private writesNull(schema: Schema): boolean {
    const hasDefault = schema.default !== undefined && schema.default !== null;
    return schema.optional && (!hasDefault || this.settings.ignoreDefaultForNullables);
  }

  private compare(schema: Schema, shape: Shape, path: string): FitProblem | null {
    const no = (reason: string): FitProblem => ({ path, reason });
    if (shape.form === 'any') return null;
    if (shape.form === 'never') return no('has no value there');
    if (isUnion(schema)) {
      for (const field of schema.fields ?? []) {
        const problem = this.problem(field.schema, shape, path);
        if (problem !== null) return problem;
      }
      return null;
    }
    if (shape.form === 'union') {
      const fits = shape.fields.some((field) => this.problem(schema, field.shape, path) === null);
      return fits ? null : no(`has no alternative for ${schema.type}`);
    }
    if (shape.allowed !== null && !isWithin(schema, shape.allowed)) return no('allows only some values');
    switch (schema.type) {
      case 'STRUCT':
        return this.struct(schema, shape, path);
      case 'ARRAY':
        if (shape.form !== 'array') return no('has no array');
        return this.element(schema.valueSchema as Schema, shape.values as Shape, `${path}[]`);
      case 'MAP':
        return this.map(schema, shape, path);
      default:
        return holdsScalar(schema, shape) ? null : no(`has another type than ${schema.name ?? schema.type}`);
    }
  }

  private map(schema: Schema, shape: Shape, path: string): FitProblem | null {
    const values = schema.valueSchema as Schema;
    if (shape.form === 'map' && isObjectMap(schema)) return this.element(values, shape.values as Shape, `${path}[]`);
    if (shape.form !== 'entries') return { path, reason: 'has no map with such keys' };
    return (
      this.element(schema.keySchema as Schema, shape.keys as Shape, `${path}.key`) ??
      this.element(values, shape.values as Shape, `${path}[]`)
    );
  }

  /** Of an array or map, whose elements cannot be left out. */
  private element(schema: Schema, shape: Shape, path: string): FitProblem | null {
    if (this.writesNull(schema) && !allowsNull(shape)) return { path, reason: 'does not allow null' };
    return this.problem(schema, shape, path);
  }

  private struct(schema: Schema, shape: Shape, path: string): FitProblem | null {
    const fields = schema.fields ?? [];
    if (shape.form === 'map') {
      for (const { name, schema: of } of fields) {
        const problem = this.element(of, shape.values as Shape, pathTo(path, name));
        if (problem !== null) return problem;
      }
      return null;
    }
    if (shape.form !== 'struct') return { path, reason: 'has no object' };
    const targets = new Map(shape.fields.map((field) => [field.name, field]));
    for (const { name, schema: of } of fields) {
      const target = targets.get(name);
      const at = pathTo(path, name);
      if (target === undefined) {
        if (shape.isClosed) return { path: at, reason: 'does not allow such a member' };
        continue;
      }
      if (this.writesNull(of) && !allowsNull(target.shape) && target.isRequired)
        return { path: at, reason: 'requires it, and does not allow null' };
      const problem = this.problem(of, target.shape, at);
      if (problem !== null) return problem;
    }
    const names = new Set(fields.map(({ name }) => name));
    const missing = shape.fields.find(({ name, isRequired }) => isRequired && !names.has(name));
    return missing === undefined ? null : { path: pathTo(path, missing.name), reason: 'requires it' };
  }
}

function pathTo(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function allowsNull(shape: Shape): boolean {
  return (
    shape.isNullable ||
    shape.form === 'any' ||
    (shape.form === 'union' && shape.fields.some((one) => allowsNull(one.shape)))
  );
}

function isWithin(schema: Schema, allowed: ReadonlySet<string>): boolean {
  return enumValues(schema)?.every((value) => allowed.has(`"${value}`)) === true;
}

function holdsScalar(schema: Schema, { form, schema: target }: Shape): boolean {
  switch (schema.name) {
    case LogicalName.DECIMAL:
      if (form === 'decimal') return schema.parameters?.scale === target.parameters?.scale;
      return form === 'float' || form === 'bytes' || form === 'string';
    case LogicalName.DATE:
    case LogicalName.TIME:
    case LogicalName.TIMESTAMP:
      if (form === 'temporal') return schema.name === target.name;
      if (form === 'string') return true;
  }
  switch (schema.type) {
    case 'STRING':
      return form === 'string';
    case 'BOOLEAN':
      return form === 'boolean';
    case 'BYTES':
      return form === 'bytes' || form === 'string';
    case 'FLOAT32':
      return form === 'float';
    case 'FLOAT64':
      return form === 'float' && target.type === 'FLOAT64';
    default:
      if (form === 'integer') return (BITS[schema.type] as number) <= (BITS[target.type] as number);
      return form === 'float';
  }
}
