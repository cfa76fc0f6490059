/**
 * A value as Java's file sink prints it (`String.valueOf`): `null`, `Struct{id=1,name=x}`, `[1, 2]`, `1.0E10`.
 * Different on purpose: bytes are text where they are UTF-8 and base64 otherwise (Java prints an object address), and
 * dates have the ISO form (Java's depend on the machine's time zone).
 */
import { isUtf8 } from 'node:buffer';
import { javaText, type ConnectValue, type JavaTextForms, type Schema } from '@millrace/sdk';

const FORMS: JavaTextForms = {
  bytes: (bytes) => bytes.toString(isUtf8(bytes) ? 'utf8' : 'base64'),
  date: (date) => date.toISOString(),
};

/** A value that is UTF-8 bytes stays bytes, which saves decoding it. */
export function valueText(schema: Schema | null, value: ConnectValue): string | Uint8Array {
  return value instanceof Uint8Array && isUtf8(value) ? value : javaText(schema, value, FORMS);
}
