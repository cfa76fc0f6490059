/** A raw struct as the steps that write its payload, compiled once per struct. */
import { LogicalName, type CellForm, type RawMember, type RawStruct, type Schema } from '@millrace/sdk';
import { quote } from '../../json/quote';
import type { PayloadWriter, WritePayload } from './payload-writer';

export const enum Op {
  /** Only the literal, which comes first in every step. */
  Literal,
  Shared,
  /** A shared string without its closing quote, and the row's integer. */
  Joined,
  Own,
  Text,
  Integer,
  Boolean,
  Number,
  Decimal,
  /** A cell whose form has no shorter way here. */
  Cell,
  Decoded,
}

/** All steps have the same members, so that the loop that runs them stays fast whatever the tables look like. */
export interface Step {
  readonly op: Op;
  /** Punctuation, names and constants before the value, in words of four bytes; the last one is filled up. */
  readonly literal: Int32Array;
  readonly literalBytes: number;
  /** Of the cell, shared or decoded value. */
  readonly index: number;
  /** What a cell without a value becomes; null: no null is allowed. */
  readonly nullText: Uint8Array | null;
  readonly decode: CellForm['decode'];
  readonly read: (bytes: Buffer, start: number, end: number) => number;
  /** Writes a value of any kind. */
  readonly write: WritePayload;
}

export interface Plan {
  readonly steps: readonly Step[];
  /** Upper bound of what is written besides texts, shared and decoded values. */
  readonly fixedBytes: number;
  readonly sharedSteps: number;
}

const NUMBER_BYTES = 32;
const NOTHING = new Uint8Array(0);
const nothing = (): never => {
  throw new TypeError('The step has no cell.');
};

/** Null: this struct is written from plain values. */
export function compilePlan(struct: RawStruct, writer: PayloadWriter, decimals: 'BASE64' | 'NUMERIC'): Plan | null {
  const steps: Step[] = [];
  let literal = '';
  const add = (step: Partial<Step> & { readonly op: Op }): void => {
    const none = { index: 0, nullText: NOTHING, decode: nothing, read: nothing, write: nothing };
    steps.push({ ...none, ...step, literal: words(literal), literalBytes: Buffer.byteLength(literal) });
    literal = '';
  };
  const addMember = (member: RawMember, schema: Schema): boolean => {
    switch (member.from) {
      case 'constant':
        literal += writer.text(schema, member.value);
        return true;
      case 'struct':
        return addStruct(member.struct);
      case 'shared':
        // Null would be the default there.
        if (schema.default !== undefined) return false;
        add({ op: Op.Shared, index: member.slot });
        return true;
      case 'own':
        add({ op: Op.Own });
        return true;
      case 'joined':
        add({ op: Op.Joined, index: member.slot });
        literal += quote(member.tail).slice(1);
        return true;
      case 'decoded':
        add({ op: Op.Decoded, index: member.index, write: writer.writer(schema) });
        return true;
      case 'cell': {
        const { cell, form } = member;
        const read = 'read' in form ? form.read : nothing;
        const nullText = writer.nullText(schema);
        const write = writer.writer(schema);
        add({ op: cellOp(form, schema, decimals), index: cell, nullText, decode: form.decode, read, write });
        return true;
      }
    }
  };
  const addStruct = ({ schema, members }: RawStruct): boolean => {
    let before = '{';
    for (const { name, index, schema: of } of schema.fields ?? []) {
      literal += `${before}${quote(name)}:`;
      before = ',';
      if (!addMember(members[index] as RawMember, of)) return false;
    }
    literal += before === '{' ? '{}' : '}';
    return true;
  };
  if (!addStruct(struct)) return null;
  add({ op: Op.Literal });
  const bytesOf = ({ literal, nullText }: Step): number => literal.length * 4 + (nullText?.length ?? 0) + NUMBER_BYTES;
  return {
    steps,
    fixedBytes: steps.reduce((sum, step) => sum + bytesOf(step), 0),
    sharedSteps: steps.filter(({ op }) => op === Op.Shared || op === Op.Joined).length,
  };
}

/** Little-endian. */
function words(text: string): Int32Array {
  const bytes = Buffer.from(text);
  const padded = Buffer.alloc(Math.ceil(bytes.length / 4) * 4);
  bytes.copy(padded);
  return Int32Array.from({ length: padded.length / 4 }, (_, i) => padded.readInt32LE(i * 4));
}

const INTEGERS: ReadonlySet<string> = new Set(['INT8', 'INT16', 'INT32', 'INT64']);

/** Forms count only where the schema is the one that they are made for. */
function cellOp({ form }: CellForm, { type, name }: Schema, decimals: 'BASE64' | 'NUMERIC'): Op {
  if (form === 'decimal') return name === LogicalName.DECIMAL && decimals === 'BASE64' ? Op.Decimal : Op.Cell;
  if (form === 'text') return type === 'STRING' ? Op.Text : Op.Cell;
  if (form === 'boolean') return type === 'BOOLEAN' ? Op.Boolean : Op.Cell;
  if (!INTEGERS.has(type)) return Op.Cell;
  return form === 'integer' ? Op.Integer : Op.Number;
}
