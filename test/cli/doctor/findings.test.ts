/** What the facts about Kafka, the group and the connectors mean. */
import { restFindings } from '../../../src/cli/verbs/doctor/connector-findings';
import { groupFindings, lostWorkerFindings } from '../../../src/cli/verbs/doctor/group-findings';
import type { KafkaFacts, StorageFacts } from '../../../src/cli/verbs/doctor/kafka-facts';
import { kafkaFindings } from '../../../src/cli/verbs/doctor/kafka-findings';
import { type DoctorFinding, exitCodeOf, reportText, Secrets, sorted } from '../../../src/cli/verbs/doctor/report';
import { storageFindings } from '../../../src/cli/verbs/doctor/storage-findings';
import type { WorkerAnswer, WorkerFacts } from '../../../src/cli/verbs/doctor/worker-facts';

const codes = (findings: readonly DoctorFinding[]): string[] =>
  findings.map(({ severity, code }) => `${severity} ${code}`);

interface TopicOptions {
  readonly kind?: StorageFacts['kind'];
  readonly replicas?: readonly number[];
  readonly partitions?: number;
  readonly leader?: number;
  readonly configs?: Record<string, string>;
}
function topic({
  kind = 'offset',
  replicas = [1, 2, 3],
  partitions = 1,
  leader = 1,
  configs,
}: TopicOptions): StorageFacts {
  const name = `c-${kind}`;
  return {
    kind,
    wanted: { topic: name, partitions: 25, replicationFactor: 3, topicConfigs: {} },
    topic: {
      value: {
        name,
        partitions: Array.from({ length: partitions }, (_, partition) => ({ partition, leader, replicas })),
      },
    },
    settings: { value: { 'cleanup.policy': 'compact', 'min.insync.replicas': '2', ...configs } },
  };
}
function kafka(facts: Partial<KafkaFacts> = {}, brokers = 3): KafkaFacts {
  const ids = Array.from({ length: brokers }, (_, i) => i + 1);
  return {
    bootstrapServers: 'k1:9092,k2:9092',
    toolOptions: '--bootstrap-server k1:9092,k2:9092',
    groupId: 'g',
    cluster: {
      value: { clusterId: 'C', controllerId: 1, brokers: ids.map((id) => ({ id, host: `k${id}`, port: 9092 })) },
    },
    storage: [],
    ...facts,
  };
}

test.each([
  ['CONNECTION_FAILED', 'error KAFKA_UNREACHABLE'],
  ['REQUEST_TIMED_OUT_CLIENT', 'error KAFKA_UNREACHABLE'],
  ['SASL_AUTHENTICATION_FAILED', 'error KAFKA_AUTHENTICATION'],
  ['SCRAM_ITERATIONS', 'error KAFKA_AUTHENTICATION'],
  ['SSL_HANDSHAKE_FAILED', 'error KAFKA_TLS'],
  ['CLUSTER_AUTHORIZATION_FAILED', 'error KAFKA_AUTHORIZATION'],
  ['INVALID_CLIENT_CONFIG', 'error KAFKA_SETTINGS'],
])('a connection that fails with %s is %s', (code, expected) => {
  expect(codes(kafkaFindings(kafka({ cluster: { failed: { code, message: 'It failed' } } })))).toEqual([expected]);
});

test('a cluster without a controller', () => {
  const cluster = { clusterId: 'C', controllerId: null, brokers: [] };
  const found = kafkaFindings(kafka({ cluster: { value: cluster } }));
  expect(codes(found)).toEqual(['warning KAFKA_NO_CONTROLLER']);
});

test.each<[string, TopicOptions, string[]]>([
  ['good', {}, []],
  [
    'one replica of three brokers',
    { replicas: [1], configs: { 'min.insync.replicas': '1' } },
    ['warning STORAGE_TOPIC_REPLICATION'],
  ],
  ['fewer replicas than min.insync.replicas', { replicas: [1] }, ['error STORAGE_TOPIC_REPLICATION']],
  ['as many replicas as min.insync.replicas', { replicas: [1, 2] }, ['warning STORAGE_TOPIC_REPLICATION']],
  ['no leader', { leader: -1 }, ['error STORAGE_TOPIC_OFFLINE']],
  ['compact,delete', { configs: { 'cleanup.policy': 'compact,delete' } }, ['error STORAGE_TOPIC_CLEANUP_POLICY']],
  ['unclean elections', { configs: { 'unclean.leader.election.enable': 'true' } }, ['warning STORAGE_TOPIC_UNCLEAN']],
  ['25 partitions of the offsets topic', { partitions: 25 }, []],
  ['2 partitions of the config topic', { kind: 'config', partitions: 2 }, ['error STORAGE_TOPIC_PARTITIONS']],
])('a storage topic: %s', (_, options, expected) => {
  expect(codes(storageFindings(kafka({ storage: [topic(options)] })))).toEqual(expected);
});

test('the statement that adds replicas keeps the replica that has the data first', () => {
  const [finding] = storageFindings(
    kafka({ storage: [topic({ replicas: [3], configs: { 'min.insync.replicas': '1' } })] }),
  );
  expect(finding?.statements).toEqual([expect.stringContaining('"replicas":[3,1,2]')]);
});

test('one topic for two purposes, one that may not be described, one request that the broker lacks', () => {
  const shared = topic({ kind: 'status' });
  const denied = { failed: { code: 'TOPIC_AUTHORIZATION_FAILED', message: 'no' } };
  const absent = { failed: { code: 'UNSUPPORTED_VERSION_CLIENT', message: 'no DescribeConfigs' } };
  const found = storageFindings(
    kafka({
      storage: [
        { ...topic({ kind: 'config' }), topic: denied },
        { ...topic({}), settings: absent },
        { ...shared, wanted: { ...shared.wanted, topic: 'c-offset' } },
      ],
    }),
  );
  expect(codes(found)).toEqual(['error STORAGE_TOPIC_SHARED', 'error KAFKA_AUTHORIZATION', 'unchecked KAFKA_REQUEST']);
  expect(found[1]?.statements).toEqual([expect.stringContaining('kafka-acls.sh')]);
  expect(found[2]?.message).toContain('the broker does not offer the request');
});

function worker(url: string, answer: Partial<WorkerAnswer> = {}, configOffset = 1): WorkerFacts {
  const value = {
    status: 200,
    aheadMs: 0,
    uncertainMs: 500,
    version: '1',
    clusterId: 'C',
    connectors: ['a'],
    ...answer,
  };
  return { member: url, url, configOffset, answer: { value } };
}
function group(workers: readonly WorkerFacts[], changes: object = {}): DoctorFinding[] {
  const members = workers.map(({ member }) => ({ memberId: member }));
  const value = { groupId: 'g', state: 'Stable', protocolType: 'connect', protocol: 'sessioned', members, ...changes };
  return groupFindings(kafka({ group: { value: value as never }, configEnd: { value: 5 } }), workers);
}

test.each<[string, WorkerFacts[], object, string[]]>([
  ['good', [worker('http://a:1/'), worker('http://b:1/')], {}, []],
  ['no worker', [], {}, ['warning GROUP_EMPTY']],
  ['consumers', [worker('http://a:1/')], { protocolType: 'consumer' }, ['error GROUP_TYPE']],
  ['a rebalance', [worker('http://a:1/')], { state: 'PreparingRebalance' }, ['warning GROUP_REBALANCING']],
  ['one URL twice', [worker('http://a:1/'), worker('http://a:1/')], {}, ['error GROUP_DUPLICATE_URL']],
  ['two versions', [worker('http://a:1/'), worker('http://b:1/', { version: '2' })], {}, ['warning WORKER_VERSIONS']],
  ['another cluster', [worker('http://a:1/', { clusterId: 'D' })], {}, ['error WORKER_OTHER_CLUSTER']],
  ['an offset past the end', [worker('http://a:1/', {}, 6)], {}, ['error GROUP_MIXED_STORAGE']],
  [
    'two lists of connectors',
    [worker('http://a:1/'), worker('http://b:1/', { connectors: ['b'] })],
    {},
    ['error GROUP_MIXED_STORAGE'],
  ],
  ['a clock within its uncertainty', [worker('http://a:1/', { aheadMs: 5400 })], {}, []],
  ['a clock that is behind', [worker('http://a:1/', { aheadMs: -60_000 })], {}, ['warning CLOCK_SKEW']],
  [
    'credentials are required',
    [worker('http://a:1/', { status: 401, version: null, clusterId: null, connectors: null })],
    {},
    [],
  ],
])('a group: %s', (_, workers, changes, expected) => {
  expect(codes(group(workers, changes))).toEqual(expected);
});

test('states of connectors; a trace is one bounded line', () => {
  const connectors = [
    { name: 'a b', config: {}, connector: { state: 'FAILED', trace: `${'x'.repeat(99_000)}\nat` }, tasks: [] },
    { name: 'c', config: {}, connector: { state: 'RUNNING' }, tasks: [] },
    { name: 'd', config: {}, connector: { state: 'RUNNING' }, tasks: [{ id: 0, state: 'UNASSIGNED' }] },
    { name: 'e', config: {}, connector: { state: 'PAUSED' }, tasks: [{ id: 0, state: 'PAUSED' }] },
  ];
  const { answer } = worker('http://a:1');
  const found = restFindings({ url: 'http://a:1', worker: answer, connectors: { value: connectors } });
  expect(codes(found)).toEqual([
    'error CONNECTOR_FAILED',
    'warning CONNECTOR_WITHOUT_TASKS',
    'warning CONNECTOR_UNASSIGNED',
  ]);
  expect(found[0]?.message.length).toBeLessThan(10_200);
  expect(found[0]?.statements).toEqual([
    "curl -sS -X POST 'http://a:1/connectors/a%20b/restart?includeTasks=true&onlyFailed=true'",
  ]);
});

test('a REST API that does not answer is an error only if a URL was chosen', () => {
  const facts = { url: 'http://a:1', worker: { failed: { code: 'ECONNREFUSED', message: 'refused' } } };
  expect(codes(restFindings(facts))).toEqual(['error REST_UNREACHABLE']);
  expect(codes(restFindings(facts, true))).toEqual(['unchecked REST_UNREACHABLE']);
});

describe('the report', () => {
  const finding = (severity: DoctorFinding['severity'], code = 'X_Y'): DoctorFinding => ({
    ...{
      severity,
      code,
      subject: 's',
      message: 'It is\x1b[2J wrong.',
      cure: 'Mend it with',
      statements: ['SELECT 1;', 'SELECT 2;'],
    },
  });

  test('errors come first, each finding once; control characters of servers are not printed', () => {
    const findings = sorted([finding('unchecked'), finding('error'), { ...finding('error'), subject: 'other' }]);
    expect(findings.map(({ severity }) => severity)).toEqual(['error', 'unchecked']);
    const text = reportText({ checked: [{ subject: 'Kafka', summary: 'fine' }], findings }, (_, text) => text);
    expect(text).toBe(
      'Kafka: fine\n\nerror X_Y (other)\n  It is [2J wrong.\n  Mend it with\n    SELECT 1;\n    SELECT 2;\n\nunchecked X_Y (s)\n  It is [2J wrong.\n  Mend it with\n    SELECT 1;\n    SELECT 2;\n\n1 error, 0 warnings, 1 not checked.\n',
    );
  });

  test.each([
    [[{ subject: 'Kafka', summary: '' }], [finding('error')], 5],
    [[{ subject: 'Kafka', summary: '' }], [finding('warning'), finding('unchecked')], 0],
    [[], [finding('error')], 3],
  ])('exit codes', (checked, findings, code) => {
    expect(exitCodeOf({ checked, findings })).toBe(code);
  });
});

test('something else than a worker answers, or no list of connectors', () => {
  const worker = { status: 200, aheadMs: null, uncertainMs: 0, version: '4.3.1', clusterId: null, connectors: null };
  const found = (value: WorkerAnswer, failed = { code: '', message: 'reason' }): string[] =>
    codes(restFindings({ url: 'http://a:1', worker: { value }, connectors: { failed } }));
  for (const status of [200, 301, 404])
    expect(found({ ...worker, status, version: null })).toEqual(['error REST_REPLY_INVALID']);
  for (const status of [401, 403, 500])
    expect(found({ ...worker, status, version: null })).toEqual(['unchecked REST_UNREACHABLE']);
  const listed = (code: string, status?: number): string[] =>
    found(worker, { code, message: 'reason', ...(status !== undefined && { status }) });
  expect(listed('REST_REPLY_INVALID')).toEqual(['unchecked REST_REPLY_INVALID']);
  expect(listed('REST_REFUSED', 403)).toEqual(['unchecked REST_REFUSED']);
  expect(listed('REST_REFUSED', 500)).toEqual(['unchecked REST_UNREACHABLE']);
  expect(listed('DOCTOR_DEADLINE')).toEqual(['unchecked DOCTOR_DEADLINE']);
  const member: WorkerFacts = {
    member: 'm',
    url: 'http://a:1/',
    configOffset: 1,
    answer: { value: { ...worker, version: null } },
  };
  const members = [{ memberId: 'm', metadata: Buffer.alloc(0) }];
  const group = { value: { state: 'Stable', protocolType: 'connect', protocol: 'sessioned', members } };
  expect(codes(groupFindings(kafka({ group } as never), [member]))).toEqual(['error REST_REPLY_INVALID']);
});

test('credentials of the context are hidden, however a server echoes them', () => {
  const secrets = new Secrets();
  const credentials = Buffer.from('admin:pass-phrase:1').toString('base64');
  secrets.addCredentials(`Basic ${credentials}`);
  secrets.addCredentials(undefined);
  const message = `Basic ${credentials} of admin with pass-phrase:1`;
  const hidden = secrets.hide({ severity: 'error', code: 'X', subject: 's', message }).message;
  expect(hidden).toContain('of admin');
  expect(hidden).not.toContain(credentials);
  expect(hidden).not.toContain('pass-phrase');
});

test('secrets of configs are hidden, their placeholders and the user’s name shown', () => {
  const secrets = new Secrets();
  secrets.add({ 'database.user': 'shop', 'database.password': 'hunter2-hunter2', 'api.token': 'shop' });
  secrets.add({ 'some.key': '${env:S}' }, { 'some.key': 'resolved-value' });
  const finding = { severity: 'error', code: 'X_Y', subject: 's' } as const;
  const message = 'user shop, hunter2-hunter2, resolved-value';
  expect(secrets.hide({ ...finding, message, statements: ['run hunter2-hunter2'] })).toEqual({
    ...finding,
    message: 'user shop, [hidden], ${env:S}',
    statements: ['run [hidden]'],
  });
});

describe('workers that are not in the group', () => {
  const member = (url: string): WorkerFacts => ({
    member: 'm',
    url,
    configOffset: 0,
    answer: { failed: { code: '', message: '' } },
  });
  const work = (...workers: string[]) => ({
    url: 'http://a:8083',
    worker: { failed: { code: '', message: '' } },
    connectors: {
      value: workers.map((worker, i) => ({
        name: `c${i}`,
        config: {},
        connector: { state: 'RUNNING', worker_id: worker },
        tasks: [{ id: 0, state: 'RUNNING', worker_id: worker }],
      })),
    },
  });

  test('their work is reported once for each worker', () => {
    const found = lostWorkerFindings([member('http://a:8083/')], true, work('a:8083', 'b:8083', 'b:8083', 'c:1'));
    expect(found.map(({ subject, message }) => [subject, message.slice(0, 46)])).toEqual([
      ['worker b:8083', 'It is not in the group, and work of c1, c2 is '],
      ['worker c:1', 'It is not in the group, and work of c3 is show'],
    ]);
  });

  test.each<[string, WorkerFacts[], boolean, string]>([
    ['all are members', [member('http://a:8083/')], true, 'a:8083'],
    ['not all members are known', [member('http://a:8083/')], false, 'b:8083'],
    ['a member does not say its URL', [member('http://a:8083/'), member('')], true, 'b:8083'],
    ['there is no group', [], true, 'b:8083'],
    ['the REST API is another group’s', [member('http://z:1/')], true, 'b:8083'],
  ])('%s: none', (_, workers, isWhole, shown) => {
    expect(lostWorkerFindings(workers, isWhole, work(shown))).toEqual([]);
  });
});
