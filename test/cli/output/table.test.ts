import { paintOf } from '../../../packages/cli/src/output/colours';
import { tableText } from '../../../packages/cli/src/output/layout';
import { FakeIo } from '../fake-io';

test('columns are two blanks apart; colours take no width', () => {
  expect(
    tableText(
      ['NAME', 'STATE', 'X'],
      [
        ['a', '\x1b[32mRUNNING\x1b[0m', '1'],
        ['long name', 'FAILED'],
      ],
    ),
  ).toBe('NAME       STATE    X\na          \x1b[32mRUNNING\x1b[0m  1\nlong name  FAILED\n');
});

test('control characters of a server do not reach the terminal', () => {
  expect(tableText(['A'], [['x\x1b]0;title\x07\x1b[2Jy\n\u009bz']])).toBe('A\nx ]0;title  [2Jy  z\n');
});

test('colours on a terminal only', () => {
  const io = (env: Record<string, string>, isTTY: boolean) =>
    Object.assign(new FakeIo('/', env), { stdout: { write: () => undefined, isTTY } });
  const red = '\x1b[31mx\x1b[0m';
  expect(paintOf(io({}, true))('red', 'x')).toBe(red);
  expect(paintOf(io({}, false))('red', 'x')).toBe('x');
  expect(paintOf(io({ NO_COLOR: '1' }, true))('red', 'x')).toBe('x');
  expect(paintOf(io({ TERM: 'dumb' }, true))('red', 'x')).toBe('x');
  expect(paintOf(io({ FORCE_COLOR: '1' }, false))('red', 'x')).toBe(red);
});
