/** Validation of the sink's configuration, without requests to the service. */
import { analyticsSink } from '@millrace/connector-analytics';
import { checkConfig } from '../../../connectors/analytics/src/config/check';
import { checkEndpoint, ingestionUrlOf, queryUrlOf, trustOf } from '../../../connectors/analytics/src/config/endpoints';
import { parseSettings } from '../../../connectors/analytics/src/config/settings';

const CLASS = 'com.microsoft.azure.kusto.kafka.connect.sink.KustoSinkConnector';
const DOCUMENT = {
  name: 'storms',
  'connector.class': CLASS,
  'flush.size.bytes': '10000',
  'flush.interval.ms': '50000',
  'tasks.max': '1',
  topics: 'storm-events',
  'analytics.tables.topics.mapping':
    "[{'topic': 'storm-events', 'db': 'demo', 'table': 'StormEvents', 'format': 'csv', 'mapping': 'storm_csv'}]",
  'idp.auth.authority': 'tenant',
  'idp.auth.appid': 'app',
  'idp.auth.appkey': 'canary-8271',
  'analytics.url': 'https://ingest-cluster.westeurope.kusto.windows.net',
};

function without(...keys: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(DOCUMENT).filter(([key]) => !keys.includes(key)));
}
function problems(config: Record<string, string>): string[] {
  return checkConfig(config).problems.map(({ key, message }) => `${key}: ${message}`);
}
const problemsWith = (more: Record<string, string>): string[] => problems({ ...DOCUMENT, ...more });

test('analytics-sink 1: the registration document is valid', () => {
  expect(problems(DOCUMENT)).toEqual([]);
  expect(parseSettings(DOCUMENT).settings).toMatchObject({
    ingestionUrl: 'https://ingest-cluster.westeurope.kusto.windows.net',
    queryUrl: 'https://cluster.westeurope.kusto.windows.net',
    flushBytes: 10_000,
    flushIntervalMs: 50_000,
    onError: 'fail',
    confirm: 'queued',
    retry: { maxMs: 300_000, backoffMs: 10_000, multiplier: 1 },
  });
});

test('analytics-sink 2: the vendor’s names mean the same', () => {
  const vendor = Object.fromEntries(
    Object.entries(DOCUMENT).map(([key, value]) => [
      key.replace(/^analytics\./, 'kusto.').replace(/^idp\./, 'aad.'),
      value,
    ]),
  );
  expect(Object.keys(vendor)).toEqual(expect.arrayContaining(['kusto.url', 'aad.auth.appid']));
  expect(parseSettings(vendor)).toEqual(parseSettings(DOCUMENT));
});

test('names of versions before 1.0 are read with a warning; a user name is rejected', () => {
  const { 'flush.size.bytes': size, 'analytics.tables.topics.mapping': mapping, ...rest } = DOCUMENT;
  const old = { ...rest, 'kusto.sink.flush_size': size, 'kusto.tables.topics_mapping': mapping };
  const { settings, warnings } = parseSettings(old);
  expect(settings).toEqual(parseSettings(DOCUMENT).settings);
  expect(warnings).toEqual([
    'kusto.sink.flush_size is an older name of flush.size.bytes',
    'kusto.tables.topics_mapping is an older name of analytics.tables.topics.mapping',
  ]);
  expect(problemsWith({ 'kusto.auth.username': 'u' })).toEqual([
    'kusto.auth.username: User name and password authentication is not supported',
  ]);
});

test('analytics-sink 3: two names of one key with different values, in either order', () => {
  const both = 'Both analytics.url and kusto.url are set, to different values';
  const other = 'https://ingest-other.westeurope.kusto.windows.net';
  expect(problemsWith({ 'kusto.url': other })).toEqual([`kusto.url: ${both}`]);
  expect(problems({ 'kusto.url': other, ...DOCUMENT })).toEqual([`analytics.url: ${both}`]);
  expect(problemsWith({ 'kusto.url': DOCUMENT['analytics.url'] })).toEqual([]);
});

test.each([
  ['flush.size.bytes', '99', 'Value must be at least 100'],
  ['flush.size.bytes', 'abc', 'Not a number of type LONG'],
  ['flush.interval.ms', '99', 'Value must be at least 100'],
  ['errors.retry.backoff.time.ms', '0', 'Value must be at least 1'],
  ['proxy.port', '8o', 'Not a number of type INT'],
  ['analytics.blob.retain', 'yes', 'Expected value to be either true or false'],
])('analytics-sink 4: %s=%s', (key, value, message) => {
  expect(problemsWith({ [key]: value })).toEqual([
    `${key}: Invalid value ${value} for configuration ${key}: ${message}`,
  ]);
});
test('analytics-sink 4: 100 is large enough', () => {
  expect(problemsWith({ 'flush.size.bytes': '100', 'flush.interval.ms': '100' })).toEqual([]);
});

test('analytics-sink 5: behavior.on.error in any case, but nothing else', () => {
  expect(problemsWith({ 'behavior.on.error': 'stop' })).toEqual([
    'behavior.on.error: Invalid value stop for configuration behavior.on.error: String must be one of: FAIL, LOG, IGNORE, fail, log, ignore',
  ]);
  expect(parseSettings({ ...DOCUMENT, 'behavior.on.error': 'Log' }).settings.onError).toBe('log');
});

test('analytics.ingest.confirm selects what offsets wait for', () => {
  const confirm = (value: string): string =>
    parseSettings({ ...DOCUMENT, 'analytics.ingest.confirm': value }).settings.confirm;
  expect(['queued', 'false', 'ingested', 'true', 'INGESTED'].map(confirm)).toEqual([
    'queued',
    'queued',
    'ingested',
    'ingested',
    'ingested',
  ]);
  expect(problemsWith({ 'analytics.ingest.confirm': 'later' })).toEqual([
    'analytics.ingest.confirm: Invalid value later for configuration analytics.ingest.confirm: String must be one of: queued, ingested, true, false',
  ]);
});

test.each(['misc.deadletterqueue.bootstrap.servers', 'misc.deadletterqueue.topic.name'])(
  'analytics-sink 6: %s alone',
  (key) => {
    expect(problemsWith({ [key]: 'x' })).toEqual([
      expect.stringMatching(
        /configure both misc\.deadletterqueue\.bootstrap\.servers and misc\.deadletterqueue\.topic\.name configurations$/,
      ),
    ]);
  },
);
test('other keys of the dead letter queue configure its producer', () => {
  const { settings } = parseSettings({
    ...DOCUMENT,
    'misc.deadletterqueue.bootstrap.servers': 'a:1, b:2',
    'misc.deadletterqueue.topic.name': 'dead',
    'misc.deadletterqueue.security.protocol': 'SSL',
  });
  expect(settings.deadLetters).toEqual({
    bootstrapServers: ['a:1', 'b:2'],
    topic: 'dead',
    client: { 'security.protocol': 'SSL' },
  });
});

test('analytics-sink 7: one error names every key that the login lacks', () => {
  expect(problems(without('idp.auth.appid', 'idp.auth.appkey'))).toEqual([
    'idp.auth.appid: Authentication strategy application needs "idp.auth.appid", "idp.auth.appkey".',
  ]);
});

test('the login strategies: a token, none only for this machine, identities without a scope', () => {
  const noLogin = without('idp.auth.appid', 'idp.auth.appkey', 'idp.auth.authority', 'analytics.url');
  const on = (url: string, more: Record<string, string>): string[] =>
    problems({ ...noLogin, 'analytics.url': url, ...more });
  expect(on('https://c.kusto.windows.net', { 'idp.auth.strategy': 'AZ_DEV_TOKEN' })).toEqual([
    'idp.auth.accesstoken: Authentication strategy az_dev_token needs "idp.auth.accesstoken".',
  ]);
  expect(on('http://127.0.0.1:9', { 'idp.auth.strategy': 'none' })).toEqual([]);
  expect(on('https://127.1.2.3.kusto.windows.net', { 'idp.auth.strategy': 'none' })).toEqual([
    'idp.auth.strategy: Authentication strategy none is only for an emulator on this machine.',
  ]);
  for (const strategy of ['managed_identity', 'WORKLOAD_IDENTITY']) {
    const more = { 'idp.auth.strategy': strategy };
    expect(on('https://c.kusto.windows.net', more)).toEqual([]);
    expect(on('https://c.kusto.windows.net', { ...more, 'idp.auth.scope': 'https://other/.default' })).toEqual([
      `idp.auth.scope: Authentication strategy ${strategy.toLowerCase()} is only for the cluster: remove "idp.auth.scope".`,
    ]);
  }
});

test.each([
  ['http://example.com', false],
  ['http://c.kusto.windows.net', false],
  ['http://127.0.0.1:9', true],
  ['http://localhost:9', true],
  ['http://127.0.0.1.evil.example', false],
  ['evil.example/c.kusto.windows.net', false],
  ['https://c.kusto.windows.net.evil.example', false],
  ['https://user@c.kusto.windows.net', false],
  ['ftp://c.kusto.windows.net', false],
  ['c.kusto.windows.net', true],
  ['https://ingest-c.r.kusto.windows.net/some/path?x=y', true],
])('analytics-sink 8: %s may be used: %s', (url, allowed) => {
  expect('url' in checkEndpoint(url, trustOf({}))).toBe(allowed);
  expect(problems({ ...without('analytics.url'), 'analytics.url': url }).length === 0).toBe(allowed);
});

test.each([
  ['https://adx.corp.example', true],
  ['https://ingest-c.adx.corp.example', false],
  ['https://ADX.corp.example:8443', true],
  ['https://x.adx.corp.example', false],
  ['https://c.trusted.example', true],
  ['https://ingest-c.trusted.example', true],
  ['https://trusted.example', false],
  ['https://nottrusted.example', false],
  ['https://10.1.2.3:8443', true],
  ['https://c.kusto.windows.net', true],
  ['http://c.trusted.example', false],
])('analytics-sink 8: with analytics.trusted.hosts of the worker, %s may be used: %s', (url, allowed) => {
  const worker = { 'analytics.trusted.hosts': 'adx.corp.example, .trusted.example, 10.1.2.3' };
  const config = { ...without('analytics.url'), 'analytics.url': url, 'analytics.query.url': url };
  expect(checkConfig(config, worker).problems.length === 0).toBe(allowed);
  // A connector config cannot change it.
  expect(checkConfig({ ...config, ...worker }).problems.length === 0).toBe(url.includes('kusto'));
});

test('analytics-sink 8: the host derived from the other URL must be trusted, too', () => {
  const worker = { 'analytics.trusted.hosts': 'ingest-adx.corp.example,adx.other.example' };
  const on = (more: Record<string, string>): string[] =>
    checkConfig({ ...without('analytics.url'), ...more }, worker).problems.map(({ key }) => key);
  expect(on({ 'analytics.url': 'https://ingest-adx.corp.example' })).toEqual(['analytics.query.url']);
  expect(on({ 'analytics.query.url': 'https://adx.other.example' })).toEqual(['analytics.ingestion.url']);
});

test('analytics-sink 8: analytics.allow.insecure.endpoints of the worker allows HTTP, but not any host', () => {
  const on = (url: string, insecure: string): string[] => {
    const worker = { 'analytics.trusted.hosts': 'emulator', 'analytics.allow.insecure.endpoints': insecure };
    const config = { ...without('analytics.url'), 'analytics.url': url, 'idp.auth.endpoint': url };
    return checkConfig(config, worker).problems.map(({ key }) => key);
  };
  expect(on('http://emulator:8080', 'true')).toEqual([]);
  expect(on('http://elsewhere:8080', 'true')).toEqual(['analytics.url']);
  expect(on('http://emulator:8080', 'false')).toEqual(['analytics.url', 'idp.auth.endpoint']);
});

test('analytics-sink 8: the application’s secret goes over HTTPS or stays on this machine', () => {
  expect(problemsWith({ 'idp.auth.endpoint': 'http://login.example' })).toEqual([
    'idp.auth.endpoint: Invalid value http://login.example for configuration idp.auth.endpoint: it is not an HTTPS URL',
  ]);
  expect(problemsWith({ 'idp.auth.endpoint': 'https://login.example' })).toEqual([]);
  expect(problemsWith({ 'idp.auth.endpoint': 'http://127.0.0.1:9' })).toEqual([]);
});

test('analytics-sink 9: no message contains the secret', () => {
  const wrong = {
    ...DOCUMENT,
    'kusto.auth.username': 'u',
    'aad.auth.appkey': 'canary-8271-other',
    'flush.size.bytes': '1',
    'analytics.url': 'http://x',
    'analytics.tables.topics.mapping': '[',
  };
  expect(problems(wrong).length).toBeGreaterThan(4);
  expect(problems(wrong).join('\n')).not.toContain('canary-8271');
  expect(() => parseSettings(wrong)).toThrow(expect.objectContaining({ code: 'ANALYTICS_CONFIG' }));
  const types = new Map(analyticsSink.config.map(({ name, type }) => [name, type]));
  for (const key of ['idp.auth.appkey', 'aad.auth.appkey', 'kusto.auth.appkey', 'idp.auth.accesstoken'])
    expect([key, types.get(key)]).toEqual([key, 'PASSWORD']);
});

test('analytics-sink 10: each URL follows from the other', () => {
  expect(queryUrlOf('https://ingest-c.r.kusto.windows.net')).toBe('https://c.r.kusto.windows.net');
  expect(queryUrlOf('https://ingest-private-c.r.kusto.windows.net')).toBe('https://private-c.r.kusto.windows.net');
  expect(ingestionUrlOf('https://c.r.kusto.windows.net:444')).toBe('https://ingest-c.r.kusto.windows.net:444');
  expect(queryUrlOf('http://127.0.0.1:9')).toBe('http://127.0.0.1:9');
  expect(ingestionUrlOf('http://127.0.0.1:9')).toBe('http://127.0.0.1:9');
  const query = { ...without('analytics.url'), 'analytics.query.url': 'https://c.r.kusto.windows.net' };
  expect(checkConfig(query).urls.ingestion).toBe('https://ingest-c.r.kusto.windows.net');
});

test('analytics-sink 10: IP addresses are used for both, and two of them do not count as interchanged', () => {
  expect(ingestionUrlOf('https://10.0.0.1:444')).toBe('https://10.0.0.1:444');
  expect(ingestionUrlOf('https://[fd00::1]')).toBe('https://[fd00::1]');
  const two = { 'analytics.url': 'http://127.0.0.1:1', 'analytics.query.url': 'http://127.0.0.1:2' };
  expect(problemsWith(two)).toEqual([]);
});

test('the two URLs interchanged, or none', () => {
  expect(
    problemsWith({
      'analytics.url': 'https://c.kusto.windows.net',
      'analytics.query.url': 'https://ingest-c.kusto.windows.net',
    }),
  ).toEqual([expect.stringContaining('interchanged')]);
  expect(problems(without('analytics.url'))).toEqual([
    'analytics.ingestion.url: Missing required configuration "analytics.ingestion.url" which has no default value.',
  ]);
});

test('analytics-sink 17: a topic without a mapping is a problem, a mapping without a topic a warning', () => {
  expect(problemsWith({ topics: 'storm-events,other' })).toEqual([
    'analytics.tables.topics.mapping: Sink has no ingestion props mapped for the topic: other. please check your configuration.',
  ]);
  const mapping = "[{topic:'*',db:'d',table:'T'},{topic:'gone',db:'d',table:'T'}]";
  const { problems: none, warnings } = checkConfig({ ...DOCUMENT, 'analytics.tables.topics.mapping': mapping });
  expect(none).toEqual([]);
  expect(warnings).toContain('The mapping of topic gone is not used: "topics" does not name it');
});

test('analytics-sink 31: metadata cannot be added to binary files', () => {
  const mapping = "[{'topic':'storm-events','db':'d','table':'T','format':'avro'}]";
  expect(problemsWith({ 'analytics.tables.topics.mapping': mapping, 'analytics.metadata.columns': 'topic' })).toEqual([
    'analytics.metadata.columns: Files of format avro, to which topic storm-events is mapped, cannot have metadata columns',
  ]);
  expect(problemsWith({ 'analytics.metadata.columns': 'topic,color' })).toEqual([
    expect.stringContaining(`'color' is not one of key, headers, topic, partition, offset, timestamp`),
  ]);
});

test('inherited object keys are unknown keys', () => {
  expect(problemsWith({ constructor: 'x', toString: 'y' } as unknown as Record<string, string>)).toEqual([]);
});

test.each([
  ['http://127.0.0.1:9', {}, false],
  ['https://localhost:9', {}, false],
  ['https://c.kusto.windows.net', {}, true],
  ['https://adx.corp.example', { 'analytics.trusted.hosts': 'adx.corp.example,ingest-adx.corp.example' }, true],
  ['http://127.0.0.1:9', { 'analytics.allow.insecure.endpoints': 'true' }, true],
])('identities of this machine at %s, with %j of the worker: %s', (url, worker, allowed) => {
  for (const strategy of ['managed_identity', 'WORKLOAD_IDENTITY'])
    for (const key of ['analytics.url', 'analytics.query.url']) {
      const other = { 'analytics.url': url, 'analytics.query.url': url, [key]: url };
      const config = {
        ...without('analytics.url'),
        ...other,
        'idp.auth.strategy': strategy,
        'proxy.host': 'p',
        'proxy.port': '1',
      };
      expect(checkConfig(config, worker).problems.map((problem) => problem.key)).toEqual(
        allowed ? [] : ['idp.auth.strategy'],
      );
    }
});

test.each([
  ['idp.auth.authority', '../x'],
  ['idp.auth.authority', '..'],
  ['idp.auth.authority', 't/../../x'],
  ['idp.auth.authority', 't?x=1'],
  ['idp.auth.authority', 't#'],
  ['idp.auth.authority', 'a\nb'],
  ['idp.auth.authority', 'a%2e'],
  ['idp.auth.appid', `x', accesstype='admin`],
  ['idp.auth.appid', 'a;b'],
  ['idp.auth.appid', 'a b'],
  ['idp.auth.accesstoken', 'geheim\r\nX: y'],
  ['idp.auth.endpoint', 'http://127.0.0.1:8083/connectors/x/restart#'],
  ['idp.auth.endpoint', 'https://login.example/?x='],
  ['idp.auth.endpoint', 'https://user:geheim@login.example'],
])('%s=%j is rejected before it enters a URL, a command or a header', (key, value) => {
  const found = problems({ ...without(), [key]: value });
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(new RegExp(`^${key}: Invalid value `));
  expect(found[0]).not.toContain('geheim');
});

test.each(['72f988bf-86f1-41af-91ab-2d7cd011db47', 'corp.onmicrosoft.com', 'adfs', 'organizations'])(
  'a tenant may be %s',
  (tenant) => {
    expect(problems({ ...without(), 'idp.auth.authority': tenant })).toEqual([]);
  },
);

test.each(['SSLL', 'TLS', '', ' '])(
  'an invalid security.protocol of %j does not send dead letters unencrypted',
  (protocol) => {
    const key = 'misc.deadletterqueue.security.protocol';
    const queue = { 'misc.deadletterqueue.bootstrap.servers': 'b:9092', 'misc.deadletterqueue.topic.name': 'd' };
    expect(problemsWith({ ...queue, [key]: protocol })).toEqual([
      `${key}: Invalid value ${protocol.trim()} for configuration ${key}: ` +
        'String must be one of (case insensitive): PLAINTEXT, SASL_PLAINTEXT, SASL_SSL, SSL',
    ]);
    expect(problemsWith({ ...queue, [key]: 'sasl_ssl' })).toEqual([]);
  },
);
