/** A raw struct as the steps that write its payload, compiled once per struct. */
import { LogicalName, type CellForm, type RawMember, type RawStruct, type Schema } from '@millrace/sdk';
import { quote } from '../../json/quote';
import type { PayloadWriter } from './payload-writer';
import { Op, Plan, type Step, type TextPart } from './raw-steps';

const NUMBER_BYTES = 32;
const NOTHING = new Uint8Array(0);
const nothing = (): never => {
  throw new TypeError('The step has no cell.');
};

/** Null: this struct is written from plain values. */
export function compilePlan(struct: RawStruct, writer: PayloadWriter, decimals: 'BASE64' | 'NUMERIC'): Plan | null {
  const steps: Step[] = [];
  let literal = '';
  let text: TextPart[] = [];
  const add = (step: Partial<Step> & { readonly op: Op }): void => {
    addPart(-1, 0);
    const functions = { decode: nothing, read: nothing, put: nothing, write: nothing };
    steps.push({ index: 0, nullText: NOTHING, size: NUMBER_BYTES, ...functions, ...step, text });
    text = [];
  };
  const addPart = (slot: number, open: number): void => {
    text.push({ literal: Buffer.from(literal), slot, open });
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
        addPart(member.slot, 0);
        return true;
      case 'own':
        add({ op: Op.Own });
        return true;
      case 'joined':
        addPart(member.slot, 1);
        add({ op: Op.Own });
        literal += quote(member.tail).slice(1);
        return true;
      case 'decoded':
        add({ op: Op.Decoded, index: member.index, write: writer.writer(schema) });
        return true;
      case 'cell': {
        const { cell, form } = member;
        const read = 'read' in form ? form.read : nothing;
        const put = form.form === 'ascii' ? form.write : nothing;
        const size = form.form === 'ascii' ? form.size + 2 : NUMBER_BYTES;
        const nullText = writer.nullText(schema);
        const write = writer.writer(schema);
        const op = cellOp(form, schema, decimals);
        add({ op, index: cell, nullText, size, decode: form.decode, read, put, write });
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
  add({ op: Op.Text });
  return new Plan(steps);
}

const INTEGERS: ReadonlySet<string> = new Set(['INT8', 'INT16', 'INT32', 'INT64']);

/** Forms count only where the schema is the one that they are made for. */
function cellOp({ form }: CellForm, { type, name }: Schema, decimals: 'BASE64' | 'NUMERIC'): Op {
  if (form === 'decimal') return name === LogicalName.DECIMAL && decimals === 'BASE64' ? Op.Decimal : Op.Cell;
  if (form === 'ascii') return type === 'STRING' ? Op.Ascii : Op.Cell;
  if (form === 'text') return type === 'STRING' ? Op.String : Op.Cell;
  if (form === 'boolean') return type === 'BOOLEAN' ? Op.Boolean : Op.Cell;
  if (!INTEGERS.has(type)) return Op.Cell;
  return form === 'integer' ? Op.Integer : Op.Number;
}
