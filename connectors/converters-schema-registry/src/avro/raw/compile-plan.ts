/** A raw struct as the steps that write it, compiled once per struct. */
import { LogicalName, type CellForm, type RawMember, type RawStruct } from '@millrace/sdk';
import { ByteOutput } from '../../byte-output';
import type { Encoding } from '../write/encoding';
import { Mismatch } from '../write/mismatch';
import { writeEncoded } from '../write/struct-code';
import { Op, RawPlan, type LiteralPart, type Step } from './raw-plan';
import type { SharedBytes } from './shared-bytes';

/** Of an integer, or of a decimal that a double represents exactly, with its length. */
const NUMBER_BYTES = 10;
/** Of a safe integer, with its sign. */
const MOST_DIGITS = 17;
/** Their length takes one byte. */
const LONGEST_ASCII = 63;
const NOTHING = new Uint8Array(0);
const INTEGERS: ReadonlySet<string> = new Set(['INT8', 'INT16', 'INT32', 'INT64']);
const nothing = (): never => {
  throw new TypeError('The step has no cell.');
};

/** Null: rows of this struct are written from plain values. */
export function compilePlan(struct: RawStruct, encoding: Encoding, shared: SharedBytes): RawPlan | null {
  const steps: Step[] = [];
  const constants = new ByteOutput(256);
  let literal: LiteralPart[] = [];
  const endConstants = (entry: number): void => {
    literal.push({ bytes: Uint8Array.from(constants.finish()), entry });
    constants.length = 0;
  };
  const add = (step: Partial<Step> & Pick<Step, 'op'>): void => {
    endConstants(-1);
    const functions = { decode: nothing, read: nothing, put: nothing, write: nothing };
    const empty = { index: 0, entry: -1, prefix: NOTHING, nullBytes: null, size: NUMBER_BYTES };
    steps.push({ ...empty, ...functions, ...step, literal });
    literal = [];
  };
  const addMember = (member: RawMember, of: Encoding): boolean => {
    const { connect, avro, prefix, nullBytes, write } = of;
    switch (member.from) {
      case 'constant':
        return addConstant(member.value, of);
      case 'struct':
        constants.append(prefix);
        return addStruct(member.struct, of);
      case 'shared':
        endConstants(shared.entry(member.slot, of));
        return true;
      case 'own':
        if (!INTEGERS.has(connect.type) || (avro.type !== 'int' && avro.type !== 'long')) return false;
        constants.append(prefix);
        add({ op: Op.Own });
        return true;
      case 'joined': {
        if (connect.type !== 'STRING' || avro.type !== 'string') return false;
        constants.append(prefix);
        const tail = Buffer.from(member.tail);
        const entry = shared.entry(member.slot, 'text');
        add({ op: Op.DigitsLength, index: tail.length, entry });
        endConstants(entry);
        add({ op: Op.Digits, size: MOST_DIGITS });
        constants.append(tail);
        return true;
      }
      case 'decoded':
        add({ op: Op.Decoded, index: member.index, prefix, nullBytes, write });
        return true;
      case 'cell': {
        const { cell, form } = member;
        const read = 'read' in form ? form.read : nothing;
        const put = form.form === 'ascii' ? form.write : nothing;
        const size = form.form === 'ascii' ? form.size + 1 : NUMBER_BYTES;
        const op = cellOp(form, of);
        add({ op, index: cell, prefix, nullBytes, size, decode: form.decode, read, put, write });
        return true;
      }
    }
  };
  const addConstant = (value: unknown, of: Encoding): boolean => {
    try {
      writeEncoded(value, constants, of);
      return true;
    } catch (error) {
      if (error instanceof Mismatch) return false;
      throw error;
    }
  };
  const addStruct = ({ members }: RawStruct, of: Encoding): boolean => {
    const inner = of.struct;
    if (inner === null) return false;
    return inner.fields.every(({ index, encoding: field, bytes }) => {
      if (field !== null) return addMember(members[index] as RawMember, field);
      constants.append(bytes);
      return true;
    });
  };
  constants.append(encoding.prefix);
  if (!addStruct(struct, encoding)) return null;
  add({ op: Op.Literal });
  return new RawPlan(steps, shared);
}

/** Forms count only where the types are those that they are made for. */
function cellOp(form: CellForm, { connect: { type, name }, avro }: Encoding): Op {
  switch (form.form) {
    case 'decimal':
      return name === LogicalName.DECIMAL && avro.type === 'bytes' ? Op.Decimal : Op.Cell;
    case 'ascii':
      return type === 'STRING' && avro.type === 'string' && form.size <= LONGEST_ASCII ? Op.Ascii : Op.Cell;
    case 'text':
      return type === 'STRING' && avro.type === 'string' ? Op.String : Op.Cell;
    case 'boolean':
      return type === 'BOOLEAN' && avro.type === 'boolean' ? Op.Boolean : Op.Cell;
    case 'integer':
    case 'number': {
      // A wider integer may not fit into an int.
      const fits = INTEGERS.has(type) && (avro.type === 'long' || (avro.type === 'int' && type !== 'INT64'));
      return !fits ? Op.Cell : form.form === 'integer' ? Op.Integer : Op.Number;
    }
  }
}
