/**
 * Paths to fields (`field.syntax.version`). V1: the name of a field; V2: names separated by dots. Source:
 * connect-runtime §7.2.
 */
import type { Field, Schema } from '@millrace/sdk';
import { configError, dataError } from './failures';
import {
  memberOf,
  requireMap,
  requireStruct,
  isNull,
  fieldValue,
  type SchemalessMap,
  type StructValue,
} from './shapes';

export type FieldSyntax = 'V1' | 'V2';

const PURPOSE = 'nested field access';

export class FieldPath {
  readonly steps: readonly string[];

  /** Throws ConfigError when a backtick is not closed. */
  constructor(
    readonly text: string,
    syntax: FieldSyntax,
  ) {
    this.steps = syntax === 'V1' ? [text] : parse(text);
  }

  /**
   * The fields on the path, the last one included; null when one does not exist. Throws DataError where the path leads
   * through a field that is not a struct.
   */
  fieldsOf(schema: Schema): readonly Field[] | null {
    const fields: Field[] = [];
    let current = schema;
    for (const step of this.steps) {
      if (current.fields === null) throw dataError('Cannot look up fields on non-struct type');
      const field = current.fields.find(({ name }) => name === step);
      if (!field) return null;
      fields.push(field);
      current = field.schema;
    }
    return fields;
  }

  valueIn(map: SchemalessMap): unknown {
    let current: unknown = map;
    for (let i = 0; i < this.steps.length; i++) {
      current = memberOf(i === 0 ? map : requireMap(current, PURPOSE), this.steps[i] as string);
      if (current === null) return null;
    }
    return current;
  }
}

/** @param fields those on the path, from the struct's own to the requested one */
export function valueAt(struct: StructValue, fields: readonly Field[], replaceNull: boolean): unknown {
  let current: unknown = struct;
  for (let i = 0; i < fields.length; i++) {
    const from: unknown = i === 0 ? struct : requireStruct((fields[i - 1] as Field).schema, current, PURPOSE);
    current = fieldValue(from as StructValue, fields[i] as Field, replaceNull);
    if (isNull(current)) return null;
  }
  return current;
}

function parse(path: string): string[] {
  const steps: string[] = [];
  let at = 0;
  for (;;) {
    const wrapped = path[at] === '`';
    const end = wrapped ? closing(path, at) : path.indexOf('.', at);
    const stop = end < 0 ? path.length : end;
    const step = path.slice(wrapped ? at + 1 : at, stop);
    steps.push(wrapped ? step.replace(/\\`(?=\.)/g, '`') : step);
    const next = wrapped ? stop + 1 : stop;
    if (next >= path.length) return steps;
    at = next + 1;
  }
}

/** The backtick that ends the step: one before a dot or the end that no backslash escapes. */
function closing(path: string, open: number): number {
  for (let at = open + 1; at < path.length; at++) {
    const ends = path[at] === '`' && (at + 1 === path.length || path[at + 1] === '.');
    if (ends && path[at - 1] !== '\\') return at;
  }
  throw configError(
    `Incomplete backtick pair in path: [${path}], consider adding a backslash before backtick at position ${open} to escape it`,
  );
}
