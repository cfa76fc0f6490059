/** `millrace doctor` against Apache Kafka itself, with ACLs. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runKafkaTool, startKafka, startKafkaCluster, type RunningKafka } from '../../../dev/services/kafka';
import { writeProperties } from '../../../dev/services/worker';
import { run } from '../../../src/cli/verbs/doctor/run';
import type { Report } from '../../../src/cli/verbs/doctor/report';
import { FakeIo } from '../../cli/fake-io';
import { Clients } from '../../helpers/kafka-clients';
import { describeWithKafka } from '../../helpers/java';
import { waitFor } from '../../helpers/wait-for';
import { KafkaScripts } from './kafka-scripts';

const PLAIN = 'org.apache.kafka.common.security.plain.PlainLoginModule required';

describeWithKafka('doctor', () => {
  let kafka: RunningKafka;
  let clients: Clients;
  let folder: string;
  let scripts: KafkaScripts;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-doctor-'));
    scripts = await KafkaScripts.create(folder);
    kafka = await startKafka({
      listeners: { SECURED: 'SASL_PLAINTEXT' },
      settings: {
        'listener.name.secured.sasl.enabled.mechanisms': 'PLAIN',
        'listener.name.secured.plain.sasl.jaas.config': `${PLAIN} user_alice="secret-1";`,
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

  async function doctor(
    group: string,
    settings: Record<string, string> = {},
  ): Promise<{ code: number; report: Report }> {
    const file = await writeProperties(folder, 1, { group, bootstrapServers: kafka.bootstrapServers, settings });
    const io = new FakeIo(folder, { HOME: folder });
    const options = { config: file, url: 'http://127.0.0.1:1', output: 'json' };
    const code = await run({ args: [], options, io });
    return { code, report: JSON.parse(io.out) as Report };
  }
  const codes = ({ findings }: Report): string[] => findings.map(({ severity, code }) => `${severity} ${code}`);

  /** Runs the statements of a tool as they are printed. Resolves with the output of the last. */
  async function cure({ findings }: Report, tool: string): Promise<string> {
    let printed = '';
    for (const statement of findings.flatMap(({ statements = [] }) => statements))
      if (statement.includes(`${tool} `)) printed = await scripts.run(statement);
    return printed;
  }

  /** Another reassignment, which is under way until the cluster ends. */
  async function reassignSlowly(admin: Clients, bootstrapServers: string): Promise<void> {
    const topic = await admin.topic();
    const [described] = await admin.admin.describeTopics([topic]);
    const leader = described?.partitions[0]?.leader ?? 0;
    // More than one fetch returns: only those after the first wait for the throttle.
    await admin.send(
      topic,
      Array.from({ length: 4 }, () => 'x'.repeat(900_000)),
    );
    const partitions = [{ topic, partition: 0, replicas: [leader, (leader % 3) + 1] }];
    await writeFile(join(folder, 'slow.json'), JSON.stringify({ version: 1, partitions }));
    const printed = await scripts.run(
      `kafka-reassign-partitions.sh --bootstrap-server ${bootstrapServers} --reassignment-json-file slow.json --execute --throttle 1`,
    );
    expect(printed).toContain('Successfully started partition reassignment');
  }

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
    await cure(report, 'kafka-configs.sh');
    expect(codes((await doctor('g')).report)).toEqual([
      'error STORAGE_TOPIC_PARTITIONS',
      'error REST_UNREACHABLE',
      'warning GROUP_EMPTY',
    ]);
  });

  test('ACLs that do not allow a topic and the group are not network failures; the statements add them', async () => {
    for (const kind of ['configs', 'offsets', 'status'])
      await clients.topic(1, { 'cleanup.policy': 'compact' }, `denied-${kind}`);
    const other = ['--bootstrap-server', kafka.bootstrapServers, '--add', '--allow-principal', 'User:other'];
    const resources = ['--topic', 'denied-offsets', '--group', 'denied'];
    await runKafkaTool('org.apache.kafka.tools.AclCommand', [...other, '--operation', 'Read', ...resources]);
    const { code, report } = await doctor('denied');
    expect(codes(report).filter((one) => one.includes('KAFKA'))).toEqual([
      'error KAFKA_AUTHORIZATION',
      'error KAFKA_AUTHORIZATION',
    ]);
    expect(report.findings.map(({ subject }) => subject)).toEqual(
      expect.arrayContaining(['topic denied-offsets', 'group denied']),
    );
    expect(code).toBe(5);
    for (const { cure: text } of report.findings.filter((one) => one.code === 'KAFKA_AUTHORIZATION'))
      expect(text).toContain('in place of WORKER');
    await cure(
      JSON.parse(JSON.stringify(report).replaceAll('User:WORKER', 'User:ANONYMOUS')) as Report,
      'kafka-acls.sh',
    );
    await waitFor(
      'the ACLs',
      async () =>
        !codes((await doctor('denied')).report)
          .join()
          .includes('KAFKA'),
    );
  });

  test('statements for a cluster that requires credentials use the settings of the worker', async () => {
    for (const kind of ['configs', 'offsets', 'status'])
      await clients.topic(1, { 'cleanup.policy': 'delete' }, `secured-${kind}`);
    const settings = {
      'bootstrap.servers': kafka.listeners.SECURED as string,
      'security.protocol': 'SASL_PLAINTEXT',
      'sasl.mechanism': 'PLAIN',
      'sasl.jaas.config': `${PLAIN} username="alice" password="secret-1";`,
    };
    const { report } = await doctor('secured', settings);
    expect(codes(report).filter((one) => one.includes('STORAGE'))).toHaveLength(3);
    await cure(report, 'kafka-configs.sh');
    expect(codes((await doctor('secured', settings)).report)).toEqual([
      'error REST_UNREACHABLE',
      'warning GROUP_EMPTY',
    ]);
  });

  test('storage topics with one replica in a cluster, and one whose broker is down', async () => {
    const cluster = await startKafkaCluster(3);
    const admin = new Clients({ 'bootstrap.servers': cluster.bootstrapServers });
    try {
      for (const kind of ['configs', 'offsets', 'status'])
        await admin.topic(1, { 'cleanup.policy': 'compact', 'min.insync.replicas': '1' }, `replicas-${kind}`);
      const settings = { 'bootstrap.servers': cluster.bootstrapServers };
      const storage = async (): Promise<Report> => {
        const { report } = await doctor('replicas', settings);
        return { ...report, findings: report.findings.filter(({ code }) => code.startsWith('STORAGE')) };
      };
      // Each broker learns of a new topic on its own, and any of them may answer.
      let broker: RunningKafka | undefined;
      await waitFor('the leader of the topic', async () => {
        const [topic] = await admin.admin.describeTopics(['replicas-status']);
        return (broker = cluster.nodes[(topic?.partitions[0]?.leader ?? 0) - 1]) !== undefined;
      });
      await broker?.crash();
      await waitFor('the partition without a leader', async () =>
        codes(await storage()).includes('error STORAGE_TOPIC_OFFLINE'),
      );
      const offline = (await storage()).findings.filter(({ code }) => code === 'STORAGE_TOPIC_OFFLINE');
      expect(offline.map(({ subject }) => subject)).toContain('topic replicas-status');
      expect(await cure({ checked: [], findings: offline }, 'kafka-topics.sh')).toMatch(/Leader: none/);
      await broker?.restart();
      const each = Array.from({ length: 3 }, () => 'warning STORAGE_TOPIC_REPLICATION');
      await waitFor('the leaders', async () => codes(await storage()).join() === each.join());
      await reassignSlowly(admin, cluster.bootstrapServers);
      await cure(await storage(), 'kafka-reassign-partitions.sh');
      await waitFor('the replicas', async () => (await storage()).findings.length === 0);
    } finally {
      await admin.close();
      await cluster.stop();
    }
  });
});
