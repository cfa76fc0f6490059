import { readFileSync } from 'node:fs';
import { bars } from '../../bench/lib/report-page/bars';
import {
  insert,
  isReached,
  summary,
  table,
  withCheck,
  type CheckResult,
  type Results,
  type Row,
} from '../../bench/lib/report-page/results';
import { PLAN } from '../../bench/lib/check/plan';

const row = (over: Partial<Row>): Row => ({
  ...{ what: 'CPU', command: 'x 1', unit: 's', better: 'less', before: 10, after: 5, spread: null, target: 6 },
  ...{ picture: 'cpu', ...over },
});
const results = (...rows: Row[]): Results => ({
  ...{ date: '2026-01-02', machine: 'a machine', before: 'old', after: 'new', pairs: 3, rows },
});
const check: CheckResult = {
  ...{ date: '2026-02-03', machine: 'another', before: 'a'.repeat(40), after: 'b'.repeat(40), pairs: 4 },
  comparisons: [{ label: 'cpu', before: 4000, after: 1234.5, ratios: [0.3, 0.251, 0.4], verdict: 'rose' }],
};

test('a check fills the rows that name its figures, and no others', () => {
  const byHand = row({ what: 'by hand' });
  const filled = withCheck(results(row({ figure: 'cpu', scale: 0.001 }), byHand), check);
  expect(filled).toMatchObject({ date: '2026-02-03', machine: 'another', before: 'aaaaaaaa', after: 'bbbbbbbb' });
  expect(filled.rows[0]).toMatchObject({ before: 4, after: 1.23, spread: { least: 0.25, greatest: 0.4 } });
  expect(filled.rows[1]).toBe(byHand);
});

test('a target is reached in its direction, by a bound or by a share of the old figure', () => {
  expect(isReached(row({}))).toBe(true);
  expect(isReached(row({ better: 'more' }))).toBe(false);
  expect(isReached(row({ target: null, targetShare: 0.5 }))).toBe(true);
  expect(isReached(row({ target: null, targetShare: 0.4 }))).toBe(false);
  expect(isReached(row({ target: null }))).toBeNull();
  expect(isReached(row({ after: null }))).toBeNull();
});

test('the table and the summary tell what is missed and what is not measured', () => {
  const all = results(row({}), row({ what: 'slow', after: 7 }), row({ what: 'open', after: null, before: null }));
  expect(table(all).split('\n').slice(2)).toEqual([
    '| CPU | 10 s | 5 s | – | ≤ 6 s | yes | `x 1` |',
    '| slow | 10 s | 7 s | – | ≤ 6 s | no | `x 1` |',
    '| open | – | – | – | ≤ 6 s | – | `x 1` |',
  ]);
  expect(summary(all)).toMatch(/a machine: old \(old\) and new \(new\) in turns, 3 pairs/);
  expect(summary(all)).toMatch(/^Not reached: slow\.$/m);
  expect(summary(all)).toMatch(/^Not measured: open\.$/m);
});

test('a page keeps what is outside of the comments', () => {
  expect(insert('a\n<!-- r -->\nold\n<!-- end of r -->\nb', 'r', 'new')).toBe(
    'a\n<!-- r -->\n\nnew\n\n<!-- end of r -->\nb',
  );
  expect(() => insert('a', 'r', 'new')).toThrow('does not have <!-- r -->');
});

test('a picture has both bars and the target, and no text that is markup', () => {
  const svg = bars('a < b', [row({ what: '<x>' }), row({ after: null, target: null })]);
  expect(svg.match(/class="old"/g)).toHaveLength(3);
  expect(svg.match(/<line/g)).toHaveLength(2);
  expect(svg).toContain('not measured');
  expect(svg).not.toMatch(/<x>|NaN|Infinity/);
});

describe('the page', () => {
  const stored = JSON.parse(readFileSync('bench/results.json', 'utf8')) as Results;
  const page = readFileSync('docs/performance.md', 'utf8');

  test('shows bench/results.json: npm run bench -- report writes it', () => {
    expect(page).toContain(`${summary(stored)}\n\n${table(stored)}`);
  });

  test('each row is shown in a picture of the page, and its figure is one of the check', () => {
    const labels = PLAN.flatMap((bench) => bench.figures.map(({ label }) => label));
    for (const { picture, figure } of stored.rows) {
      expect(page).toContain(`(images/performance/${picture}.svg)`);
      if (figure !== undefined) expect(labels).toContain(figure);
    }
  });
});
