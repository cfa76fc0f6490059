/** Warnings that clients cause, with a clock of the test. */
import { RareWarnings } from '../../../src/rest/http/rare-warnings';

let now: number;
let lines: string[];
let warnings: RareWarnings;
beforeEach(() => {
  now = 0;
  lines = [];
  warnings = new RareWarnings(
    (line) => lines.push(line),
    () => now,
  );
});
const report = (client: string): void => warnings.report(client, (times) => `${client} ${times}`);

test('a client has one line a minute, which counts those that were not logged', () => {
  for (let i = 0; i < 5; i++) report('a');
  report('b');
  now = 59_999;
  report('a');
  expect(lines).toEqual(['a 1', 'b 1']);
  now = 60_000;
  report('a');
  report('a');
  expect(lines).toEqual(['a 1', 'b 1', 'a 6']);
});

test('all clients together have 20 lines a minute', () => {
  for (let i = 0; i < 2_000; i++) report(String(i));
  expect(lines).toHaveLength(20);
  now = 60_000;
  report('another');
  expect(lines.at(-1)).toBe('another 1');
});
