/** Our own documents: accepted by the worker, with Debezium's current names, and without a warning. */
import { parseConfig } from '../../../connectors/postgres/src/config/postgres-config';
import { SAMPLES, type SampleDocument } from './sample-documents';
import { ANALYTICS, FILE_SINK, FILE_SOURCE, POSTGRES, problemsOf, validator } from './schema-fixtures';

test('documents of all connectors are among them', () => {
  const classes = SAMPLES.map(([, { config }]) => config['connector.class']);
  expect(classes).toEqual(expect.arrayContaining([FILE_SOURCE, FILE_SINK, POSTGRES, ANALYTICS]));
});

/** What the pages tell to fill in. */
const FILLED: Readonly<Record<string, string>> = { '<region>': 'westeurope', '<domain>': 'kusto.windows.net' };
const filled = (document: SampleDocument): string =>
  JSON.stringify(document).replaceAll(/<\w+>/g, (name) => FILLED[name] ?? 'x');

test.each(SAMPLES)('a document of %s is valid, without a warning', async (_, document) => {
  expect(await problemsOf(filled(document))).toEqual([]);
  expect((await validator.validate(document.config)).warnings).toBeUndefined();
});

test.each(SAMPLES.filter(([, { config }]) => config['connector.class'] === POSTGRES))(
  'the PostgreSQL source starts without a warning with the document of %s',
  (_, { config }) => {
    expect(parseConfig(config).warnings).toEqual([]);
  },
);
