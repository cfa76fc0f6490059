import { foldedLines, singleLines } from '../../packages/console/src/pages/connector/folded-lines';
import type { LogLine } from '../../packages/console/src/worker-api';

let sequence = 0;
const line = (at: number, text: string, more: Partial<LogLine> = {}): LogLine => ({
  ...{ sequence: ++sequence, at, worker: 'w', level: 'WARN', logger: 'l', task: 0, text, ...more },
});
const outline = (lines: ReturnType<typeof foldedLines>) =>
  lines.map(({ line: { text, at }, count, first }) => [text.split('\n')[0], count, first, at]);

test('lines that differ in numbers only are one, at the place of the newest, which is shown', () => {
  const lines = [line(1, 'retry 1'), line(2, 'started'), line(3, 'retry 2'), line(4, 'stopped'), line(5, 'retry 13')];
  expect(outline(foldedLines(lines))).toEqual([
    ['started', 1, 2, 2],
    ['stopped', 1, 4, 4],
    ['retry 13', 3, 1, 5],
  ]);
  expect(outline(singleLines(lines))).toHaveLength(5);
});

test('lines of other levels, loggers and tasks are others; those of other workers are not', () => {
  const lines = [
    line(1, 'a'),
    line(2, 'a', { level: 'ERROR' }),
    line(3, 'a', { logger: 'm' }),
    line(4, 'a', { task: 1 }),
    line(5, 'a', { task: null }),
    line(6, 'a', { worker: 'v' }),
  ];
  expect(outline(foldedLines(lines)).map(([, count, , at]) => [count, at])).toEqual([
    ...[2, 3, 4, 5].map((at) => [1, at]),
    [2, 6],
  ]);
});

test('a reason that several lines have is shown with the newest', () => {
  const lines = [
    line(1, 'failed\nboom\nat x'),
    line(2, 'stopped\nboom\nat x'),
    line(3, 'other\nelse'),
    line(4, 'plain'),
  ];
  expect(foldedLines(lines).map(({ reason, reasonAt }) => [reason, reasonAt])).toEqual([
    ['boom\nat x', 2],
    ['boom\nat x', null],
    ['else', null],
    [null, null],
  ]);
});
