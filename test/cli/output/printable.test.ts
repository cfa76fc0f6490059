import { ConnectError } from '@millrace/sdk';
import { fail } from '../../../packages/cli/src/output/fail';
import { paintOf, paintState } from '../../../packages/cli/src/output/colours';
import { printable, printableLines } from '../../../packages/cli/src/output/printable';
import { FakeIo } from '../fake-io';

const paint = paintOf({ stdout: { write: () => true, isTTY: true }, env: {} });

test('of control characters, only the colours of this program remain', () => {
  const painted = (['red', 'green', 'yellow', 'cyan', 'grey', 'bold'] as const).map((colour) => paint(colour, 'x'));
  for (const text of painted) expect(printable(text)).toBe(text);
  expect(printable('a\u001b[8mb\u001b[30;40mc\u001b]0;t\u0007d\u009b2Je\nf')).toBe('a [8mb [30;40mc ]0;t d 2Je f');
  expect(printableLines('a\r\nb\tc\rd\u001b[31me')).toBe('a\nb\tc d [31me');
});

test('marks that change the direction of text do not reach a terminal', () => {
  const marks = '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069';
  expect(printable(`a${marks}b`)).toBe(`a${' '.repeat(marks.length)}b`);
  expect(printableLines(`a${marks}b`)).toBe(`a${' '.repeat(marks.length)}b`);
  expect(printable('שלום näme 👩‍👧')).toBe('שלום näme 👩‍👧');
});

test('a state that a server invents gets no colour', () => {
  expect([paintState(paint, 'constructor'), paintState(paint, 'NEW')]).toEqual(['constructor', 'NEW']);
});

test('the message of a server is shown without control characters, and is bounded', () => {
  const io = new FakeIo('/');
  expect(fail(io, new ConnectError('gone\u001b[2J', { code: 'REST_NOT_FOUND' }))).toBe(4);
  expect(io.err).toBe('millrace: gone [2J (REST_NOT_FOUND)\n');
  expect(fail(io, new Error('two\nlines'))).toBe(1);
  expect(io.err).toContain('millrace: two\n    lines\n');
  expect(fail(io, new Error('x'.repeat(1_000_000)))).toBe(1);
  expect(io.err.length).toBeLessThan(20_000);
});

test.each([
  ['CONNECTION_FAILED', 3, ' (CONNECTION_FAILED)'],
  ['SASL_AUTHENTICATION_FAILED', 1, ' (SASL_AUTHENTICATION_FAILED)'],
  ['ENOENT', 1, ''],
  ['ERR_INVALID_ARG_TYPE', 1, ''],
])('an error with the code %s: exit code %s, and the code is shown if a page has it', (code, exit, shown) => {
  let written = '';
  const io = { stderr: { write: (text: string) => (written += text) } };
  expect(fail(io, Object.assign(new Error('no'), { code }))).toBe(exit);
  expect(written).toBe(`millrace: no${shown}\n`);
});
