/** The pages of docs/reference/: no setting of a plugin or of the worker is missing. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyticsSink } from '../../connectors/analytics/src/connector';
import { postgresConnector } from '../../connectors/postgres/src/connector';
import { referencePages } from '../../dev/docs/reference-pages';
import { validValues } from '../../dev/docs/valid-values';
import { ROOT } from '../../dev/services/paths';
import { rowsOf } from '../../src/config/setting';
import { WORKER_SETTINGS } from '../../src/config/worker-settings';

const pages = referencePages();

test('a setting has a section with its meaning, type, default and valid values', () => {
  expect(pages.get('worker-settings.md')).toContain(
    [
      '### `watchdog.task.action`',
      'Millrace only. What happens to a stuck task: `log` reports it, `restart` restarts it.',
      'Type: STRING. Default: `log`. Valid values: `log`, `restart`.',
    ].join('\n\n'),
  );
});

test('the site has a link to each page in place of one to a table of the repository', () => {
  const site = readFileSync(join(ROOT, 'docs', '.vitepress', 'pages.mts'), 'utf8');
  const links = Array.from(site.matchAll(/'([^']+)': 'reference\/([^']+)'/g), ([, table = '', page = '']) => ({
    isThere: existsSync(join(ROOT, table)),
    page,
  }));
  expect(links.map(({ page }) => page).sort()).toEqual([...pages.keys()].sort());
  expect(links.every(({ isThere }) => isThere)).toBe(true);
});

test.each([
  ['postgres-source.md', postgresConnector.config],
  ['analytics-sink.md', analyticsSink.config],
  ['worker-settings.md', rowsOf(WORKER_SETTINGS)],
])('%s names every key', (name, keys) => {
  const text = pages.get(name) ?? '';
  expect(keys.length).toBeGreaterThan(30);
  expect(keys.filter((key) => !text.includes(`\`${key.name}\``)).map((key) => key.name)).toEqual([]);
});

test.each<[string, (value: unknown) => string | null, string]>([
  ['STRING', (value) => (value === 'a' ? null : 'String must be one of: a, B'), '`a`, `B`'],
  ['STRING', () => 'String must be one of: FAIL, LOG, fail, log', '`fail`, `log`'],
  ['STRING', () => 'String must be one of (case insensitive): on, off', '`on`, `off`'],
  [
    'INT',
    (value) => (Number(value) < 1 ? 'Value must be at least 1' : 'Value must be no more than 9'),
    'at least 1, at most 9',
  ],
  ['LIST', (value) => ((value as string[]).length === 0 ? 'Value must not be empty' : null), 'not empty'],
  ['LONG', () => null, ''],
  // A check that expects what only parsing produces.
  ['STRING', (value) => (value as unknown as { trimmed: () => string }).trimmed(), ''],
])('what the check of a %s accepts, in words', (type, check, words) => {
  expect(validValues(type, check)).toBe(words);
});
