/**
 * Which alternative of a union a JSON value is: of those that it fits, the one that has most of its members. Sources:
 * public issues 1751, 3059 of confluentinc/schema-registry.
 */
import { JsonNumber } from '@millrace/texts/json';
import { readMember } from '@millrace/sdk';
import { kindOf } from './plain-json';
import { misfit } from './schema-error';
import { valueKey, type Shape, type ShapeField } from './shape';

/** Levels below a union that are compared: with each, unions in unions multiply. */
const DEEPEST = 4;
/** Elements of an array, and entries of a map, that are compared. */
const MOST_ELEMENTS = 10;
/** Comparisons for one record. */
const MOST_COMPARED = 1_000_000;

export class UnionChoice {
  private left = 0;

  /** Before each record. */
  start(): void {
    this.left = MOST_COMPARED;
  }

  /** Throws Misfit. */
  choose(alternatives: readonly ShapeField[], tree: unknown): ShapeField {
    let best: ShapeField | null = null;
    let most = -1;
    for (const alternative of alternatives) {
      const score = this.score(alternative.shape, tree, DEEPEST);
      if (score <= most) continue;
      most = score;
      best = alternative;
    }
    return best ?? misfit(`is ${kindOf(tree)} that fits none of the alternatives in its schema`);
  }

  /** -1: it does not fit. Otherwise the number of members that are declared. */
  private score(shape: Shape, tree: unknown, depth: number): number {
    if (--this.left < 0) misfit('needs too many comparisons with the alternatives in its schema');
    if (tree === null || tree === undefined)
      return shape.schema.optional || shape.schema.default !== undefined ? 0 : -1;
    if (shape.allowed !== null) {
      const key = valueKey(tree);
      if (key === undefined || !shape.allowed.has(key)) return -1;
    }
    switch (shape.form) {
      case 'struct':
        return isJsonObject(tree) ? this.structScore(shape, tree, depth - 1) : -1;
      case 'union':
        return depth === 0
          ? 0
          : shape.fields.reduce((most, { shape: one }) => Math.max(most, this.score(one, tree, depth - 1)), -1);
      case 'array':
        return Array.isArray(tree) ? this.elementsScore(shape.values as Shape, tree, depth - 1) : -1;
      case 'entries':
        return Array.isArray(tree) ? 0 : -1;
      case 'map':
        return isJsonObject(tree) ? this.elementsScore(shape.values as Shape, Object.values(tree), depth - 1) : -1;
      default:
        return fitsScalar(shape, tree) ? 0 : -1;
    }
  }

  private structScore({ fields, isClosed }: Shape, tree: Readonly<Record<string, unknown>>, depth: number): number {
    let sum = 0;
    let present = 0;
    for (const { name, shape, isRequired } of fields) {
      const member = readMember(tree, name);
      if (member === undefined && isRequired) return -1;
      const score = depth < 0 ? 0 : this.score(shape, member, depth);
      if (score < 0) return -1;
      if (member === undefined) continue;
      present++;
      sum += 1 + score;
    }
    return isClosed && Object.keys(tree).length > present ? -1 : sum;
  }

  private elementsScore(shape: Shape, elements: readonly unknown[], depth: number): number {
    if (depth < 0) return 0;
    let sum = 0;
    for (let i = 0; i < elements.length && i < MOST_ELEMENTS; i++) {
      const score = this.score(shape, elements[i], depth);
      if (score < 0) return -1;
      sum += score;
    }
    return sum;
  }
}

function fitsScalar({ form, isText, schema }: Shape, tree: unknown): boolean {
  switch (form) {
    case 'boolean':
      return typeof tree === 'boolean';
    case 'integer':
      return isInteger(tree) && (schema.type === 'INT64' || fitsBits(tree, Number(schema.type.slice(3))));
    case 'float':
      return isNumber(tree);
    case 'string':
    case 'bytes':
      return typeof tree === 'string';
    case 'decimal':
    case 'temporal':
      return isText ? typeof tree === 'string' : isNumber(tree);
    default:
      return form === 'any';
  }
}

function isNumber(tree: unknown): tree is number | JsonNumber {
  return typeof tree === 'number' || tree instanceof JsonNumber;
}

function isInteger(tree: unknown): tree is number | JsonNumber {
  return isNumber(tree) && Number.isInteger(tree instanceof JsonNumber ? tree.toNumber() : tree);
}

function fitsBits(tree: number | JsonNumber, bits: number): boolean {
  const value = tree instanceof JsonNumber ? tree.toNumber() : tree;
  return value >= -(2 ** (bits - 1)) && value < 2 ** (bits - 1);
}

export function isJsonObject(tree: unknown): tree is Record<string, unknown> {
  return typeof tree === 'object' && tree !== null && !Array.isArray(tree) && !(tree instanceof JsonNumber);
}
