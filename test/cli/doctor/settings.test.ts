import { Deadline } from '../../../src/cli/verbs/doctor/deadline';
import { readSettings } from '../../../src/cli/verbs/doctor/settings';
import { silentLogger } from '../../../src/logging/logger';
import { FakeIo, invocationOf } from '../fake-io';

/** A run with much time, in which the settings are not read within their own limit. */
class Patient extends Deadline {
  override async settle(): Promise<null> {
    return await Promise.resolve(null);
  }
}

test('worker settings that are not read in time are a finding, and the run continues without Kafka', async () => {
  const invocation = invocationOf(['doctor'], new FakeIo('/'));
  const { hasKafka, findings } = await readSettings(invocation, silentLogger, new Patient(60));
  expect(hasKafka).toBe(false);
  expect(findings.map(({ severity, code }) => `${severity} ${code}`)).toEqual([
    'error DOCTOR_SETTINGS',
    'unchecked KAFKA_NOT_CHECKED',
  ]);
});
