/** The sentences about a class that no plugin has, and the one that was meant. Pure. */
import { editDistance } from '@millrace/sdk';

/** Debezium's converters of bytes, under the names that they had. */
const BYTES = /^io\.debezium\.converters\.(?:BinaryData|ByteArray|ByteBuffer)Converter$/;
/** Classes of plugins may be given without them. */
const KIND = /(?<=.)(?:connector|headerconverter|converter|transformation|predicate)$/;
const MAX_EDITS = 2;
const MAX_CLASSES = 3;
/** Characters: longer names are not typing errors. */
const MAX_LENGTH = 200;

/** Java's words, for known classes what takes their place, and classes that were probably meant. */
export function missingClass(name: string, classes: readonly string[] = []): string {
  const found = `Class ${name} could not be found.`;
  return BYTES.test(name)
    ? `${found} Use org.apache.kafka.connect.converters.ByteArrayConverter, which writes the same bytes. It has no delegate: it fails for records that are not bytes, such as heartbeats and transaction metadata.`
    : [found, ...didYouMean(nearestClasses(name, classes))].join(' ');
}

/** A question, if there are classes. */
export function didYouMean(classes: readonly string[]): readonly string[] {
  return classes.length === 0 ? [] : [`Did you mean ${classes.join(', ')}?`];
}

/** The classes whose names without a package are nearest to the one that was given, as few and as near as possible. */
export function nearestClasses(given: string, classes: readonly string[]): readonly string[] {
  if (given.length > MAX_LENGTH) return [];
  const wanted = withoutPackage(given);
  let limit = Math.min(MAX_EDITS, Math.floor(wanted.length / 3));
  let nearest: string[] = [];
  for (const name of new Set(classes)) {
    const edits = Math.min(...namesOf(name).map((one) => editDistance(wanted, one, limit)));
    if (edits > limit) continue;
    if (edits < limit) nearest = [];
    limit = edits;
    nearest.push(name);
  }
  return nearest.slice(0, MAX_CLASSES);
}

/** Of `org.acme.MaskField$Value`: `maskfield$value`, `maskfield`. */
function namesOf(className: string): readonly string[] {
  const name = withoutPackage(className);
  return [name, name.replace(KIND, ''), name.split('$', 1)[0] as string];
}

function withoutPackage(className: string): string {
  return className.slice(className.lastIndexOf('.') + 1).toLowerCase();
}
