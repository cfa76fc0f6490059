/** Connect's names as Avro's. Source: AvroData. */
import { schemaError } from '../schema-error';
import { AvroName, isValidName } from '../schema/avro-name';

const PLAIN = /^[A-Za-z_]\w*$/;
/** What `java.net.URLEncoder` leaves as it is, blanks aside. */
const KEPT = /[\w.*-]/;

/** Replaces what no name may contain: by underscores, and by the bytes in UTF-8 as hexadecimal digits. */
export function scrubName(name: string): string {
  if (name === '' || PLAIN.test(name)) return name;
  let encoded = '';
  for (const character of name) {
    if (KEPT.test(character)) encoded += character;
    else if (character === ' ') encoded += '+';
    else for (const byte of utf8(character)) encoded += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return (/^\d/.test(encoded) ? `x${encoded}` : encoded).replace(/\W/g, '_');
}

/** Half of a surrogate pair is a question mark in Java. */
function utf8(character: string): Uint8Array {
  return Buffer.from(/^[\ud800-\udfff]$/.test(character) ? '?' : character);
}

/** Namespace (null: none) and name. */
export function splitName(full: string, scrub: boolean): readonly [string | null, string] {
  if (full === '') return [null, full];
  const parts = full.replace(/(?<!\.)\.+$/, '').split('.');
  const names = scrub ? parts.map(scrubName) : parts;
  return names.length === 1 ? [null, names[0] as string] : [names.slice(0, -1).join('.'), names.at(-1) as string];
}

/** Throws DataError for a name that Avro does not allow. */
export function checkedName(space: string | null, name: string): AvroName {
  const made = new AvroName(name, space);
  if (!isValidName(made.name)) throw invalidName('The schema', made.full);
  return made;
}

export function checkedFieldName(name: string): string {
  if (!isValidName(name)) throw invalidName('A field', name);
  return name;
}

function invalidName(what: string, name: string): Error {
  return schemaError(
    `${what} has the name "${name}", which Avro does not allow: set scrub.invalid.names=true, or give it another name.`,
    { name },
  );
}
