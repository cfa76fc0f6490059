/** What a field is while it is not in the bytes. */
import { safeInteger } from '@millrace/sdk';
import { schemaError } from '../faults';
import type { EnumType, ProtoField, Scalar } from './proto-model';

/** Of the type, or as declared. Not for messages. */
export function defaultOf(field: ProtoField): unknown {
  const { type, defaultText } = field;
  if (typeof type === 'string') return defaultText === null ? zeroOf(type) : declared(field, type, defaultText.text);
  if (type.kind === 'message') return null;
  if (defaultText === null) return firstOf(type);
  const number = type.values.get(defaultText.text);
  if (number === undefined) throw wrong(field);
  return number;
}

/** The number of an enum's first value. */
export function firstOf(type: EnumType): number {
  return type.values.values().next().value as number;
}

export function zeroOf(type: Scalar): unknown {
  if (type === 'string') return '';
  if (type === 'bytes') return Buffer.alloc(0);
  return type === 'bool' ? false : 0;
}

function declared(field: ProtoField, type: Scalar, text: string): unknown {
  switch (type) {
    case 'string':
      return text;
    case 'bytes':
      return field.defaultText?.bytes ?? Buffer.from(text);
    case 'bool':
      return text === 'true';
    case 'float':
    case 'double': {
      if (/^-?nan$/.test(text)) return NaN;
      if (/^-?inf$/.test(text)) return text === 'inf' ? Infinity : -Infinity;
      const number = Number(text);
      if (Number.isNaN(number)) throw wrong(field);
      return type === 'float' ? Math.fround(number) : number;
    }
    default: {
      if (!/^-?(0[xX][0-9A-Fa-f]{1,16}|[0-9]{1,20})$/.test(text)) throw wrong(field);
      const digits = text.replace(/^-/, '');
      const size = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits);
      const value = text.startsWith('-') ? -size : size;
      const bits = type.endsWith('32') ? 32 : 64;
      const isSigned = !type.startsWith('uint') && !type.startsWith('fixed');
      // An unsigned one of 64 bits has to be an INT64 of Connect.
      const fits = isSigned || bits === 64 ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
      if (fits !== value || (!isSigned && value < 0n)) throw wrong(field);
      return safeInteger(value);
    }
  }
}

function wrong(field: ProtoField): Error {
  return schemaError(`The default of the field ${field.name} is not a value of its type that Connect can hold.`);
}
