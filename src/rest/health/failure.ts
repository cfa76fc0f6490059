/** The first thing to say about a failure, from the trace of its status. */
import type { Failure } from '@millrace/console';
import { isWrapper, traceReason } from '@millrace/texts/redaction';
import { explanationOf } from '../../logging/error-page';

type Reason = Pick<Failure, 'code' | 'sentence' | 'hint' | 'place'>;

/** A trace begins with its error. Characters. */
const LONGEST_TRACE = 64 * 1024;
/** A message of an error and its place. */
const LONGEST_MESSAGE = 4096;
const CAUSED_BY = '\nCaused by: ';
const JAVA_CLASS = /^(?:[A-Za-z_$][\w$]*\.)+[A-Za-z_$][\w$]*: /;
const ERROR_NAME = /^[A-Z][A-Za-z]{0,60}(?:Error|Exception): /;
const END_OF_SENTENCE = /(?<!\b(?:e\.g|i\.e|etc|vs))[.!?](?=["')\]]?\s+["'(`]?[A-Z])/;
const NO_TRACE = 'The worker does not say why.';

/** What a code's row in docs/errors.md says to do; null: unknown code. */
type CureOf = (code: string) => string | null;

export function reasonOf(trace: string, cureOf: CureOf = cureOfCode): Reason {
  const [first = '', ...causes] = trace.slice(0, LONGEST_TRACE).split(CAUSED_BY);
  const messages = [first, ...causes].map(messageOf);
  const { text, code, place } = messages.find((message) => !isWrapper(message.text)) ?? (messages[0] as Message);
  if (text === '') return { code, sentence: NO_TRACE, hint: null, place };
  const end = END_OF_SENTENCE.exec(text);
  const sentence = end ? text.slice(0, end.index + 1) : text;
  const rest = end ? text.slice(end.index + 1).trim() : '';
  return {
    code,
    sentence,
    place,
    // The sentences of other errors are not known to say what to do.
    hint: code === null ? null : rest || cureOf(code),
  };
}

interface Message {
  readonly text: string;
  readonly code: string | null;
  readonly place: Readonly<Record<string, string>>;
}

/** Without the exception's class, and without code and place at the end. */
function messageOf(part: string): Message {
  const { line, code } = traceReason(part, LONGEST_MESSAGE);
  const details = code === null ? -1 : line.lastIndexOf(` [code: ${code}`);
  const text = (details < 0 ? line : line.slice(0, details)).replace(JAVA_CLASS, '').replace(ERROR_NAME, '');
  return { text: text.trim(), code, place: details < 0 ? {} : placeIn(line.slice(details)) };
}

/** @example placeIn(' [code: X_Y, topic: t, offset: 5]') is { topic: 't', offset: '5' } */
function placeIn(details: string): Readonly<Record<string, string>> {
  const [list = ''] = details.slice(2).split(']', 1);
  const parts = list.split(', ').map((part) => part.split(': ', 2));
  return Object.fromEntries(
    parts.flatMap(([key = '', value]) => (key === 'code' || value === undefined ? [] : [[key, value]])),
  );
}

export function cureOfCode(code: string): string | null {
  return explanationOf(code)?.cure || null;
}
