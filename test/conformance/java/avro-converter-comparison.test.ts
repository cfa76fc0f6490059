/**
 * Confluent's AvroConverter and Millrace's, with the same schemas, values and settings: the texts of the schemas and
 * the bytes are the same, and each reads what the other wrote. `npm run compare-with-avro-converter` does it longer.
 */
import { compareEnvelopes } from '../../../dev/avro-converter/envelopes';
import { JavaConverter } from '../../../dev/avro-converter/java-converter';
import { Tally } from '../../../dev/avro-converter/tally';
import { SERVER_URL } from '../../helpers/test-database';
import { uniqueName } from '../../helpers/unique-name';
import { describeWithJava } from './fixtures';

describeWithJava('Avro of Confluent’s converter and of Millrace’s', () => {
  let java: JavaConverter;

  beforeAll(async () => {
    java = await JavaConverter.create();
  });
  afterAll(async () => {
    await java?.close();
  });

  async function expectSame(tally: Tally, least: number): Promise<void> {
    expect([...tally.kinds.keys()].length === 0 ? '' : await tally.report()).toBe('');
    expect(tally.compared - tally.refused).toBeGreaterThanOrEqual(least);
  }

  test('generated schemas with values, and every setting', async () => {
    const tally = new Tally(java);
    await tally.run(1_000_000, 4_000);
    await expectSame(tally, 3_000);
  });

  test.each([
    [301, {}, { 'scrub.invalid.names': 'true' }],
    [
      302,
      {
        'decimal.handling.mode': 'string',
        'time.precision.mode': 'connect',
        'binary.handling.mode': 'hex',
        'hstore.handling.mode': 'map',
        'schema.name.adjustment.mode': 'avro',
        'field.name.adjustment.mode': 'avro',
      },
      {},
    ],
    [
      303,
      {
        'decimal.handling.mode': 'double',
        'time.precision.mode': 'isostring',
        'binary.handling.mode': 'base64',
        'interval.handling.mode': 'string',
        'column.propagate.source.type': '.*',
      },
      { 'scrub.invalid.names': 'true', 'connect.meta.data': 'false' },
    ],
  ])('change events of every PostgreSQL type, seed %i with %j, %j', async (seed, modes, settings) => {
    const tally = new Tally(java);
    const database = uniqueName('avro');
    const options = { serverUrl: SERVER_URL, database, seed, modes, settings, changes: 100 };
    expect(await compareEnvelopes(java, tally, options)).toBeGreaterThan(100);
    await expectSame(tally, 100);
  });
});
