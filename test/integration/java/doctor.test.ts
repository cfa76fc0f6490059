/** `millrace doctor` against Apache Kafka itself, with ACLs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runKafkaTool, startKafka, type RunningKafka } from '../../../dev/services/kafka';
import { writeProperties } from '../../../dev/services/worker';
import { run } from '../../../src/cli/doctor/doctor';
import type { Report } from '../../../src/cli/doctor/report';
import { FakeIo } from '../../cli/fake-io';
import { Clients } from '../../helpers/kafka-clients';
import { describeWithKafka } from '../../helpers/java';

describeWithKafka('doctor', () => {
  let kafka: RunningKafka;
  let clients: Clients;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-doctor-'));
    kafka = await startKafka({
      settings: {
        'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
        'allow.everyone.if.no.acl.found': 'true',
      },
    });
    clients = new Clients({ 'bootstrap.servers': kafka.bootstrapServers });
  });
  afterAll(async () => {
    await clients.close();
    await kafka.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function doctor(group: string): Promise<{ code: number; report: Report }> {
    const file = await writeProperties(folder, 1, { group, bootstrapServers: kafka.bootstrapServers });
    const io = new FakeIo(folder, { HOME: folder });
    const options = { config: file, url: 'http://127.0.0.1:1', output: 'json' };
    const code = await run({ args: [], options, io });
    return { code, report: JSON.parse(io.out) as Report };
  }
  const codes = ({ findings }: Report): string[] => findings.map(({ severity, code }) => `${severity} ${code}`);

  test('the version of the cluster, and storage topics with wrong settings; each statement is the cure', async () => {
    await clients.topic(3, { 'cleanup.policy': 'compact' }, 'g-configs');
    await clients.topic(1, { 'cleanup.policy': 'delete', 'min.insync.replicas': '2' }, 'g-offsets');
    await clients.topic(1, { 'cleanup.policy': 'compact', 'unclean.leader.election.enable': 'true' }, 'g-status');
    const { code, report } = await doctor('g');
    expect(report.checked[0]?.summary).toMatch(/^metadata\.version \d+, cluster \S+, 1 broker\(s\), controller 1$/);
    expect(codes(report)).toEqual([
      'error STORAGE_TOPIC_PARTITIONS',
      'error STORAGE_TOPIC_CLEANUP_POLICY',
      'error STORAGE_TOPIC_REPLICATION',
      'error REST_UNREACHABLE',
      'warning STORAGE_TOPIC_UNCLEAN',
      'warning GROUP_EMPTY',
    ]);
    expect(code).toBe(5);
    for (const statement of report.findings.flatMap(({ statements = [] }) => statements))
      if (statement.startsWith('kafka-configs.sh '))
        await runKafkaTool('kafka.admin.ConfigCommand', statement.split(' ').slice(1));
    expect(codes((await doctor('g')).report)).toEqual([
      'error STORAGE_TOPIC_PARTITIONS',
      'error REST_UNREACHABLE',
      'warning GROUP_EMPTY',
    ]);
  });

  test('ACLs that deny a topic and the group are not network failures', async () => {
    for (const kind of ['configs', 'offsets', 'status'])
      await clients.topic(1, { 'cleanup.policy': 'compact' }, `denied-${kind}`);
    const deny = ['--bootstrap-server', kafka.bootstrapServers, '--add', '--deny-principal', 'User:ANONYMOUS'];
    const acls = 'org.apache.kafka.tools.AclCommand';
    await runKafkaTool(acls, [...deny, '--operation', 'Describe', '--topic', 'denied-offsets', '--group', 'denied']);
    const { code, report } = await doctor('denied');
    expect(codes(report).filter((one) => one.includes('KAFKA'))).toEqual([
      'error KAFKA_AUTHORIZATION',
      'error KAFKA_AUTHORIZATION',
    ]);
    expect(report.findings.map(({ subject }) => subject)).toEqual(
      expect.arrayContaining(['topic denied-offsets', 'group denied']),
    );
    expect(code).toBe(5);
  });
});
