/** Bytes that are a whole record, without their length. */
import { LogicalName, type Schema, unscaledOf } from '@millrace/sdk';
import { scaleOf } from '../from-connect/logical-props';
import { unreadable } from './byte-input';
import { MOST_DECIMAL_BYTES, type ReadValue } from './logical-readers';

export function wholeReader(connect: Schema): ReadValue {
  if (connect.name !== LogicalName.DECIMAL) return (input) => input.fixed(input.end - input.at);
  const scale = scaleOf(connect);
  return (input) => {
    const length = input.end - input.at;
    if (length > MOST_DECIMAL_BYTES) unreadable(`it is a decimal of more than ${MOST_DECIMAL_BYTES} bytes`, input.at);
    const start = input.skip(length);
    return { unscaled: unscaledOf(input.bytes, start, start + length), scale };
  };
}
