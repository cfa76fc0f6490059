/** Names of records, enums and fixed types. */
import { PRIMITIVES } from './primitive-types';

/** As Avro's Java library checks them, unit by unit: letters and digits of any script, but no surrogates. */
const VALID = /^[\p{L}_][\p{L}\p{Nd}_]*$/u;
const SURROGATE = /[\ud800-\udfff]/;

export function isValidName(name: string): boolean {
  return VALID.test(name) && !SURROGATE.test(name);
}

/** They cannot be written without a namespace, where they would be read as types. */
const TYPES: ReadonlySet<string> = new Set([...PRIMITIVES, 'record', 'enum', 'array', 'map', 'union', 'fixed']);

export class AvroName {
  /** Null: none. */
  readonly space: string | null;
  readonly name: string;
  readonly full: string;

  /** @param space the namespace of a name without dots; null or empty: none */
  constructor(name: string, space: string | null) {
    const dot = name.lastIndexOf('.');
    this.name = name.slice(dot + 1);
    this.space = (dot < 0 ? space : name.slice(0, dot)) || null;
    this.full = this.space === null ? this.name : `${this.space}.${this.name}`;
  }

  /** How it is written inside of another named type with this namespace. */
  within(space: string | null): string {
    return this.space !== null && this.space === space && !TYPES.has(this.name) ? this.name : this.full;
  }
}
