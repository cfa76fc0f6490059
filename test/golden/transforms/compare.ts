/** The results of Millrace's transformations, in the notation of Java's. */
import { isDeepStrictEqual } from 'node:util';
import type { ConfigKey, ConnectError, TransformationPlugin } from '@millrace/sdk';
import type { Answer } from './ask-java';
import type { Case } from './cases/inputs';
import { readRecord, writeChanges } from './notation';

/** Intended or unavoidable differences: Java's result and Millrace's. */
export interface Difference {
  readonly why: string;
  readonly java: RegExp;
  readonly ours: RegExp;
}

const thrown = (error: unknown): unknown => {
  const { javaClass, message } = error as ConnectError;
  return { error: [javaClass, message] };
};

/** Millrace's result; Java's if the difference is a known one. Throws when a record was changed in place. */
export function answerOf(
  plugin: TransformationPlugin,
  { config, records }: Case,
  java: Answer,
  known: readonly Difference[],
): unknown {
  const agreed = (ours: unknown, expected: unknown): unknown => {
    if (isDeepStrictEqual(ours, expected)) return expected;
    const [a, b] = [JSON.stringify(ours), JSON.stringify(expected)];
    return known.some((one) => one.java.test(b) && one.ours.test(a)) ? expected : ours;
  };
  const transformation = plugin.create();
  try {
    transformation.configure(config);
  } catch (error) {
    return agreed(thrown(error), java);
  }
  const results = records.map((notation, i) => {
    const record = readRecord(notation);
    let ours: unknown;
    try {
      const result = transformation.apply(record);
      ours = result === null ? null : writeChanges(record, result);
    } catch (error) {
      ours = thrown(error);
    }
    if (!isDeepStrictEqual(writeChanges(readRecord(notation), record), {})) throw new Error('The record was changed.');
    return agreed(ours, java.results?.[i]);
  });
  return { results };
}

/** Whether Java returns the same object or an equal one does not matter. */
export function withoutIdentity({ results, ...rest }: Answer): Answer {
  return results ? { results: results.map((result) => (result === 'same' ? {} : result)) } : rest;
}

/** What Answer.java prints of a setting, without its validator, whose text no client sees. */
export function factsOf(key: ConfigKey): unknown {
  const fallback = key.default;
  return {
    name: key.name,
    type: key.type,
    required: fallback === undefined,
    default: fallback === undefined || fallback === null ? null : String(fallback),
    importance: key.importance,
    group: key.group ?? null,
    order: key.order ?? -1,
    width: key.width ?? 'NONE',
    displayName: key.displayName ?? key.name,
  };
}
