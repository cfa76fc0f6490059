/** `millrace produce` against Apache Kafka's SASL and TLS, with the worker's keys. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../../../dev/services/paths';
import { describeWithKafka } from '../../helpers/java';
import { login, propertiesValue, startSecureBroker, USER, type SecureBroker } from '../../helpers/security-broker';

describeWithKafka('kafka-client 3: millrace produce', () => {
  let broker: SecureBroker;
  beforeAll(async () => {
    broker = await startSecureBroker();
  });
  afterAll(async () => {
    await broker?.stop();
  });

  async function produce(password: string): Promise<{ status: number | null; stdout: string; stderr: string }> {
    const keys = {
      'bootstrap.servers': broker.at('SASL_SSL'),
      'security.protocol': 'SASL_SSL',
      ...login.plain(password),
      'ssl.truststore.certificates': broker.ca.cert,
    };
    const text = Object.entries(keys).map(([key, value]) => `${key}=${propertiesValue(value)}\n`);
    const file = await broker.file('produce.properties', text.join(''));
    const args = [join(ROOT, 'dist', 'main.js'), 'produce', '-', '--topic', 'secure', '--config', file];
    return spawnSync(process.execPath, args, { input: 'a\nb\n', encoding: 'utf8', env: { PATH: process.env.PATH } });
  }

  test('the worker’s SASL and TLS keys are sufficient', async () => {
    expect(await produce(USER.password)).toMatchObject({
      status: 0,
      stdout: 'stdin:1 partition 0 offset 0\nstdin:2 partition 0 offset 1\n',
    });
  });

  test('a wrong password is reported in one sentence without it', async () => {
    const { status, stdout, stderr } = await produce('wr0ng-secret');
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^millrace: .*uthentication.*\n$/);
    expect(stderr).not.toContain('wr0ng-secret');
  });
});
