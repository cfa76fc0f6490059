/**
 * A value as Java's file sink prints it (`String.valueOf`): `null`, `Struct{id=1,name=x}`, `[1, 2]`, `1.0E10`.
 * Two intended differences: bytes are text if they are UTF-8 and base64 otherwise (Java prints an object address), and
 * dates are in ISO format (Java's depend on the machine's time zone).
 */
import { isUtf8 } from 'node:buffer';
import { javaText, type ConnectValue, type JavaTextForms, type Schema } from '@millrace/sdk';

const FORMS: JavaTextForms = {
  bytes: (bytes) => bytes.toString(isUtf8(bytes) ? 'utf8' : 'base64'),
  date: (date) => date.toISOString(),
};

/** UTF-8 bytes are returned as they are, which saves decoding them. */
export function valueText(schema: Schema | null, value: ConnectValue): string | Uint8Array {
  return value instanceof Uint8Array && isUtf8(value) ? value : javaText(schema, value, FORMS);
}
