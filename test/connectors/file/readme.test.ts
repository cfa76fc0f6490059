/** README.md of the connectors against the definitions of their settings. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkConfig } from '@millrace/sdk/testing';
import { fileStreamSink } from '../../../connectors/file/src/sink/connector';
import { fileStreamSource } from '../../../connectors/file/src/source/connector';

const PAGE = readFileSync(join(__dirname, '../../../connectors/file/README.md'), 'utf8');

test.each([
  ['Source settings', fileStreamSource.config],
  ['Sink settings', fileStreamSink.config],
])('%s: the page lists every setting with its default', (title, keys) => {
  const [section = ''] = new RegExp(`^## ${title}\n[^]*?(?=^## )`, 'm').exec(PAGE) ?? [];
  const listed = Array.from(section.matchAll(/^\| `([\w.]+)` \| (required|–|`[^`]*`) \|/gm), ([, name, value]) => [
    name,
    value,
  ]);
  const shown = (value: unknown): string => (value === null ? '–' : `\`${String(value)}\``);
  const expected = keys.map(({ name, default: value }) => [name, value === undefined ? 'required' : shown(value)]);
  expect(listed).toEqual(expected);
});

test('the configs of the quick start are valid', async () => {
  const documents = Array.from(
    PAGE.matchAll(/^```json file=\S+\n([^]*?)^```$/gm),
    ([, text = '']) => JSON.parse(text) as { config: Record<string, string> },
  );
  const [source, sink] = documents.map(({ config }) => config);
  expect(documents).toHaveLength(2);
  expect(await checkConfig(fileStreamSource, source ?? {})).toEqual([]);
  expect(await checkConfig(fileStreamSink, sink ?? {})).toEqual([]);
});
