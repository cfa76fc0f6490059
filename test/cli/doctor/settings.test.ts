import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from '../../../src/cli/verbs/doctor/report';
import { Deadline } from '../../../src/cli/verbs/doctor/deadline';
import { readSettings } from '../../../src/cli/verbs/doctor/settings';
import { silentLogger } from '../../../src/logging/logger';
import { runCli } from '../../../src/cli/cli';
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

describe('what the file has is not asked for', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'doctor-settings-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  const ENOUGH =
    'group.id=g\nconfig.storage.topic=c\noffset.storage.topic=o\nstatus.storage.topic=s\nkey.converter=JsonConverter\nvalue.converter=JsonConverter\n';

  async function report(text: string): Promise<Report> {
    const file = join(folder, 'worker.properties');
    writeFileSync(file, text);
    const io = new FakeIo(folder, { HOME: folder, XDG_CONFIG_HOME: folder });
    expect(await runCli(['doctor', '--config', file, '--deadline', '20', '-o', 'json'], io)).not.toBe(2);
    return JSON.parse(io.out) as Report;
  }

  test.each([
    ['invalid settings', `${ENOUGH}listeners=http://127.0.0.1:1\nsession.timeout.ms=x\n`],
    [
      'an embedded broker that does not run',
      `${ENOUGH}bootstrap.servers=embedded\nembedded.data.dir=nowhere\nlisteners=http://127.0.0.1:1\n`,
    ],
    ['a broker that does not run', `${ENOUGH}bootstrap.servers=127.0.0.1:1\nlisteners=http://127.0.0.1:1\n`],
  ])('%s', async (_, text) => {
    const { findings } = await report(text);
    const texts = findings.map(({ message, cure = '' }) => `${message} ${cure}`).join('\n');
    expect(texts).not.toMatch(/--config|--bootstrap-server|--url/);
    expect(findings.map(({ subject }) => subject)).toContain('REST API http://127.0.0.1:1');
  });

  test('each invalid setting is a finding', async () => {
    const { findings } = await report(
      `${ENOUGH}bootstrap.servers=127.0.0.1:1\nlisteners=ftp://:1\nsession.timeout.ms=x\n`,
    );
    const messages = findings.filter(({ code }) => code === 'WORKER_CONFIG_INVALID').map(({ message }) => message);
    expect(messages).toEqual([
      expect.stringMatching(/^Worker setting "listeners" is invalid: /),
      'Worker setting "session.timeout.ms" is invalid: "x": Not a number of type INT.',
    ]);
  });
});
