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

/** `after.items[2].price`; empty for the value itself. */
export function pathText(path: readonly string[]): string {
  let text = '';
  for (const segment of path) text += segment.startsWith('[') || text === '' ? segment : `.${segment}`;
  return text;
}
