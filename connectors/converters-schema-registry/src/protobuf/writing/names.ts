/** Names that Protobuf accepts, from names of Connect. */
import { schemaError } from '../faults';

const VALID = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** @param what for the error, e.g. `The field name` */
export function protoName(name: string, scrub: boolean, what: string): string {
  if (VALID.test(name)) return name;
  if (!scrub)
    throw schemaError(
      `${what} ${JSON.stringify(name.slice(0, 100))} is not valid in Protobuf: set scrub.invalid.names=true, or rename it with a transformation.`,
    );
  return scrubbed(name);
}

/** As for Avro: other characters than letters, digits and `_` become `_`, or the hex of their bytes. */
function scrubbed(name: string): string {
  const text = name.replace(/[^A-Za-z0-9_]/gu, (char) =>
    /[-.* ]/.test(char) ? '_' : Buffer.from(char).toString('hex').toUpperCase().replace(/../g, '_$&'),
  );
  return /^[A-Za-z_]/.test(text) ? text : `x${text}`;
}

export interface MessageName {
  /** Empty: none. */
  readonly package: string;
  readonly name: string;
}

/** @param enhanced whether what stands before the last dot is the package; otherwise it is left out */
export function splitName(fullName: string, enhanced: boolean, scrub: boolean): MessageName {
  const parts = fullName.split('.');
  const name = protoName(parts.pop() as string, scrub, 'The schema name');
  if (!enhanced) return { package: '', name };
  return { package: parts.map((part) => protoName(part, scrub, 'The schema name')).join('.'), name };
}

/** The name, or with the first number after it that makes it free. It is taken from then on. */
export function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let i = 2; taken.has(free); i++) free = `${name}${i}`;
  taken.add(free);
  return free;
}
