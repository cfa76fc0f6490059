/** `millrace explain` */
import { ConnectError } from '@millrace/sdk';
import { writeAnswer } from '../output/answer';
import type { Invocation } from '../program/command-spec';
import { codesIn, nearestCodes } from './codes-in';
import { readErrorPage, type ErrorEntry } from '../../logging/error-page';
import { explanationText } from './explanation-text';

export function run(invocation: Invocation): number {
  const { args, io } = invocation;
  const found = explain(args.join(' '), readErrorPage());
  writeAnswer(invocation, found, () => explanationText(found, io.stdout.columns));
  return 0;
}

/** The entries of all codes that the text contains. @throws ConnectError `CODE_NOT_FOUND` if there is none */
export function explain(text: string, entries: readonly ErrorEntry[]): readonly ErrorEntry[] {
  const byCode = new Map(entries.map((entry) => [entry.code, entry]));
  const upper = text.trim().toUpperCase();
  const single = byCode.get(upper);
  if (single) return [single];
  const codes = codesIn(text);
  const found = codes.flatMap((code) => byCode.get(code) ?? []);
  if (found.length > 0) return found;
  const [wanted = text.trim()] = codes;
  const nearest = nearestCodes(wanted, [...byCode.keys()]);
  const isWord = codes.length > 0 || !/\s/.test(wanted);
  throw new ConnectError(
    [
      isWord ? `There is no error code "${wanted.slice(0, 100)}".` : 'The text contains no error code of Millrace.',
      nearest.length > 0 ? `Did you mean ${nearest.join(', ')}?` : 'All codes are listed in docs/errors.md.',
    ].join(' '),
    { code: 'CODE_NOT_FOUND' },
  );
}
