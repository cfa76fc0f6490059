/**
 * Signals of Debezium's task and of Millrace's, each on a database of its own: notifications, the topic of the signal
 * table and the rows are compared exactly. Triggers on the signal table make changes and send signals while a chunk is
 * open.
 */
import { JavaTask } from '../../../dev/debezium/java-task';
import { OwnTask } from '../../../dev/debezium/own-task';
import { SCENARIOS } from '../../../dev/debezium/signals/scenarios';
import { runSignals } from '../../../dev/debezium/signals/signal-run';
import { SERVER_URL } from '../../helpers/test-database';
import { uniqueName } from '../../helpers/unique-name';
import { describeWithJava } from './fixtures';

describeWithJava('signals of Debezium and of Millrace', () => {
  let java: JavaTask;

  beforeAll(async () => {
    java = await JavaTask.create();
  });
  afterAll(async () => {
    await java?.close();
  });

  test.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))(
    'cdc-postgres 99, 102, 105, 106: %s',
    async (_name, scenario) => {
      const expected = await runSignals(scenario, SERVER_URL, uniqueName('signals'), java);
      expect(expected.notes.length).toBeGreaterThan(5);
      expect(await runSignals(scenario, SERVER_URL, uniqueName('signals'), new OwnTask())).toEqual(expected);
    },
  );
});
