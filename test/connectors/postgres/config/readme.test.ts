/** Compares README.md of the connector with the definitions of its settings. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkConfig } from '../../../../connectors/postgres/src/config/check';
import { DEFINITIONS } from '../../../../connectors/postgres/src/config/definitions';

const PAGE = readFileSync(join(__dirname, '../../../../connectors/postgres/README.md'), 'utf8');

test('the page lists every setting with its default', () => {
  const listed = Array.from(PAGE.matchAll(/^\| `([\w.]+)` \| (required|–|`[^`]*`) \|/gm), ([, name, value]) => [
    name,
    value,
  ]);
  const expected = DEFINITIONS.map(({ name, default: value, constraint }) => [
    name,
    constraint?.kind === 'required' ? 'required' : value === null ? '–' : `\`${value}\``,
  ]);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(expected));
});

test('the config of the quick start is valid', () => {
  const [, example = ''] = /^```json file=\S+\n([^]*?)^```$/m.exec(PAGE) ?? [];
  const { config } = JSON.parse(example) as { config: Record<string, string> };
  expect(checkConfig(config)).toMatchObject({ problems: [], warnings: [] });
});
