import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { explain, nearestCodes } from '../../../packages/cli/src/verbs/explain';
import { parseErrorPage } from '../../../src/logging/error-page';
import { cli, TRACE } from '../scripted-rest';

const NOWHERE = 'http://localhost:1';
const entries = parseErrorPage(readFileSync(join(__dirname, '../../../docs/errors.md'), 'utf8'));

test('every row of docs/errors.md is an entry with an area, what happened and a cure', () => {
  const rows = entries.map(({ code }) => code);
  expect(rows.length).toBeGreaterThan(150);
  expect(rows).toEqual([...new Set(rows)]);
  for (const { area, happened, cure } of entries)
    expect([area, happened, cure].every((text) => text !== '' && !text.includes('](') && !text.includes('|---'))).toBe(
      true,
    );
});

test('rows: several codes, links, escaped bars', () => {
  expect(
    parseErrorPage('## Area\n| code | a | b |\n|---|---|---|\n| `A_B`, `C_D` | x \\| y, [z](b.md#c) | `d` |\n'),
  ).toEqual(['A_B', 'C_D'].map((code) => ({ code, area: 'Area', happened: 'x | y, z (docs/b.md#c)', cure: '`d`' })));
});

test('a code, also in lower case', async () => {
  const { code, out, err } = await cli(NOWHERE, 'explain', 'dev_sql_failed');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toBe(
    `DEV_SQL_FAILED: Worker, configuration, plugins

  PostgreSQL refused the statement of \`millrace dev --sql\`.

  What to do:
  Correct the statement.
`,
  );
});

test('codes in a message or a trace, unquoted too; JSON', async () => {
  const pasted = 'millrace: No answer. (REST_UNREACHABLE)\n\tat X.y (Z_Z) [code: DLQ_TOPIC, topic: T]';
  const json = await cli(NOWHERE, 'explain', pasted, '-o', 'json');
  expect((JSON.parse(json.out) as { code: string }[]).map(({ code }) => code)).toEqual([
    'REST_UNREACHABLE',
    'DLQ_TOPIC',
  ]);
  expect((await cli(NOWHERE, 'explain', 'No', 'answer', '(REST_UNREACHABLE)')).code).toBe(0);
});

test('an unknown code: the nearest ones, exit code 4', async () => {
  expect(await cli(NOWHERE, 'explain', 'RECORD_UNREADABEL')).toEqual({
    code: 4,
    out: '',
    err: 'millrace: There is no error code "RECORD_UNREADABEL". Did you mean RECORD_UNREADABLE? (CODE_NOT_FOUND)\n',
  });
  expect((await cli(NOWHERE, 'explain', TRACE.replace('PG_TABLE', 'XYZ_ABCDE_Q'))).err).toContain('"XYZ_ABCDE_Q"');
  expect((await cli(NOWHERE, 'explain', 'it does not work')).err).toContain('contains no error code');
  expect((await cli(NOWHERE, 'explain', 'dlq_rep')).err).toContain('Did you mean DLQ_REPLAY');
});

test('hostile texts take bounded time', () => {
  for (const text of ['A_'.repeat(500_000), 'A'.repeat(1_000_000), '_A'.repeat(500_000), ' '.repeat(1_000_000)])
    expect(() => explain(text, entries)).toThrow('error code');
  expect(nearestCodes('Z'.repeat(100_000), ['A_B'])).toEqual([]);
});
