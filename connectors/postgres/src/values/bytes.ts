import { schema } from '@millrace/sdk';
import { rawText } from './plain-text';
import {
  anyText,
  ascii,
  textLike,
  utf8,
  type BinaryMode,
  type DefaultText,
  type TextDecoder,
  type ValueOptions,
  type ValueType,
} from './value-type';

const BACKSLASH = 0x5c;
const LETTER_X = 0x78;

/** Bytes in a binary handling mode: as they are, or as text. */
export function binaryValue(bytes: Buffer, mode: BinaryMode): Buffer | string {
  switch (mode) {
    case 'bytes':
      return bytes;
    case 'base64':
      return bytes.toString('base64');
    case 'base64-url-safe': {
      // Java's URL-safe encoder pads; Node's does not.
      const text = bytes.toString('base64url');
      return text.padEnd(Math.ceil(text.length / 4) * 4, '=');
    }
    case 'hex':
      return bytes.toString('hex');
  }
}

function binaryType(options: ValueOptions, raw: (b: Buffer, s: number, e: number) => Buffer): ValueType {
  const mode = options.binary;
  const asText = mode !== 'bytes';
  return {
    schema: schema(asText ? 'STRING' : 'BYTES'),
    decode: asText ? (b, s, e) => binaryValue(raw(b, s, e), mode) : raw,
    // In hex mode Debezium emits the text of the placeholder, which consumers compare with.
    unavailable: mode === 'hex' ? options.placeholder.toString('utf8') : binaryValue(options.placeholder, mode),
    fallback: asText ? '' : Buffer.alloc(0),
    defaultText: null,
  };
}

/** Sessions run with bytea_output=hex: `\x…`. The other form is an error: it has other bytes. */
export function byteaType(options: ValueOptions): ValueType {
  return binaryType(options, (b, s, e) => {
    if (b[s] !== BACKSLASH || b[s + 1] !== LETTER_X) throw new SyntaxError('its text does not begin with \\x');
    const bytes = Buffer.from(ascii(b, s + 2, e), 'hex');
    if (bytes.length * 2 !== e - s - 2) throw new SyntaxError('its text is not hexadecimal');
    return bytes;
  });
}

/** `include.unknown.datatypes`: the text form as bytes. */
export function unknownType(options: ValueOptions): ValueType {
  return binaryType(options, (b, s, e) => Buffer.from(b.subarray(s, e)));
}

/** Bits are a number written little-endian without trailing zero bytes. */
const decodeBits: TextDecoder = (bytes, start, end) => {
  const out: number[] = [];
  for (let at = end; at > start; at -= 8) {
    let byte = 0;
    for (let bit = Math.max(start, at - 8); bit < at; bit++) byte = (byte << 1) | ((bytes[bit] as number) - 48);
    out.push(byte);
  }
  while (out.length > 0 && out[out.length - 1] === 0) out.pop();
  return Buffer.from(out);
};

/** `bit(n)` and `varbit(n)`; one bit is a boolean. */
export function bitType(typmod: number): ValueType {
  if (typmod === 1)
    return {
      schema: schema('BOOLEAN'),
      decode: (b, s) => b[s] === 49,
      unavailable: null,
      fallback: false,
      defaultText: textLike(/^[01]$/),
    };
  const length = typmod < 0 ? '2147483647' : String(typmod);
  return {
    schema: schema('BYTES', { name: 'io.debezium.data.Bits', version: 1, parameters: { length } }),
    decode: decodeBits,
    unavailable: null,
    fallback: Buffer.alloc(0),
    defaultText: textLike(/^[01]*$/),
  };
}

/** A string type, with or without a semantic name. */
export function stringType(
  options: ValueOptions,
  name?: string,
  parameters?: Record<string, string>,
  defaultText: DefaultText | null = anyText,
): ValueType {
  const of = name === undefined ? schema('STRING') : schema('STRING', { name, version: 1, parameters });
  return {
    schema: of,
    decode: utf8,
    unavailable: options.placeholder.toString('utf8'),
    fallback: '',
    defaultText,
    raw: rawText(utf8),
  };
}
