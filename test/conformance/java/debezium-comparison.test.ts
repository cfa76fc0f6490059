/**
 * Debezium's task and Millrace's on one database, with the same settings and generated statements: every record is
 * compared field by field. `npm run compare-with-debezium` does the same for longer.
 */
import { Comparison } from '../../../dev/debezium/comparison';
import { JarTask, type Transfer } from '../../../dev/debezium/jar-task';
import { JavaTask } from '../../../dev/debezium/java-task';
import { OwnTask } from '../../../dev/debezium/own-task';
import { Session } from '../../../dev/debezium/session';
import { SERVER_URL } from '../../helpers/test-database';
import { uniqueName } from '../../helpers/unique-name';
import { describeWithJava } from './fixtures';

describeWithJava('records of Debezium and of Millrace', () => {
  let java: JavaTask;

  beforeAll(async () => {
    java = await JavaTask.create();
  });
  afterAll(async () => {
    await java?.close();
  });

  test.each([
    [101, {}, 500],
    [
      102,
      {
        'decimal.handling.mode': 'string',
        'time.precision.mode': 'connect',
        'binary.handling.mode': 'hex',
        'interval.handling.mode': 'string',
        'hstore.handling.mode': 'map',
        'field.name.adjustment.mode': 'avro',
        'unavailable.value.placeholder': '∅ "gone"',
      },
      // Reaches a large transaction.
      1_500,
    ],
    [
      103,
      {
        'decimal.handling.mode': 'double',
        'time.precision.mode': 'isostring',
        'binary.handling.mode': 'base64',
        'schema.name.adjustment.mode': 'avro',
        'skip.messages.without.change': 'true',
        'tombstones.on.delete': 'false',
        'column.propagate.source.type': '.*',
        'unavailable.value.placeholder': 'hex:00ff80',
        'money.fraction.digits': '4',
      },
      500,
    ],
  ])('cdc-postgres 50, 88: snapshot, changes and DDL of seed %i with %j', async (seed, settings, pairs) => {
    const comparison = new Comparison();
    const session = { serverUrl: SERVER_URL, database: uniqueName('compared'), seed, pairs };
    await Session.run(
      { ...session, settings: { ...settings, 'plugin.name': 'pgoutput' } },
      java,
      new OwnTask(),
      comparison,
    );
    expect(comparison.unexplained).toEqual([]);
    expect(comparison.pairs).toBeGreaterThanOrEqual(session.pairs);
  });

  test.each<[Transfer, number]>([
    ['bytes', 104],
    ['data', 105],
  ])('the jar in the Java host, records as %s: nothing differs (seed %i)', async (transfer, seed) => {
    const comparison = new Comparison('pgoutput', undefined, true);
    const jar = await JarTask.create(transfer);
    try {
      const session = { serverUrl: SERVER_URL, database: uniqueName('compared'), seed, pairs: 500 };
      await Session.run({ ...session, settings: { 'plugin.name': 'pgoutput' } }, java, jar, comparison);
    } finally {
      await jar.close();
    }
    expect(comparison.unexplained).toEqual([]);
    expect(comparison.pairs).toBeGreaterThanOrEqual(500);
  });
});
