/** Thrown by compiled writers. Never leaves the Avro converter, which makes a DataError of it. */
export class Mismatch extends Error {
  /** Where it is, from the outside in: filled by traced writers only. */
  readonly path: string[] = [];
}

/** @param reason what the error says of the value */
export function mismatch(reason: string): never {
  // The trace costs more than all else, and nobody sees it.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const error = new Mismatch(reason);
  Error.stackTraceLimit = stackTraceLimit;
  throw error;
}

/** Segments of a path, and characters of each, that an error shows. */
const MOST_SEGMENTS = 16;
const MOST_CHARACTERS = 100;

/** `after.items[2].price`; empty for the value itself. */
export function pathText(path: readonly string[]): string {
  const half = MOST_SEGMENTS / 2;
  const shown = path.length > MOST_SEGMENTS ? [...path.slice(0, half), '…', ...path.slice(-half)] : path;
  let text = '';
  for (const full of shown) {
    const segment = full.length > MOST_CHARACTERS ? `${full.slice(0, MOST_CHARACTERS)}…` : full;
    text += segment.startsWith('[') || text === '' ? segment : `.${segment}`;
  }
  return text;
}
