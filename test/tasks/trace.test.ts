import { ConfigError, ConnectError, RetriableError, messageOf } from '@millrace/sdk';
import { KafkaError } from '../../packages/kafka-client/src/errors';
import { protocolError } from '../../packages/kafka-client/src/protocol/protocol-error';
import { addProvidedValue } from '../../packages/texts/src/provided-values';
import { formatTrace, isWorthRestarting, TRACE_LIMIT } from '../../src/tasks/trace';

const first = (error: unknown): string => formatTrace(error, 'c').split('\n')[0] as string;

test('the first line: class, message, code, place', () => {
  expect(first(new ConfigError('slot.name is missing: set it.'))).toBe(
    'org.apache.kafka.common.config.ConfigException: slot.name is missing: set it.',
  );
  expect(first(new ConnectError('no', { code: 'PG_X', place: { table: 'a', lsn: 5n } }))).toBe(
    'org.apache.kafka.connect.errors.ConnectException: no [code: PG_X, table: a, lsn: 5]',
  );
  expect(first(new KafkaError('NOT_LEADER_OR_FOLLOWER', 'moved', { retriable: true, topic: 't', partition: 1 }))).toBe(
    'org.apache.kafka.common.errors.RetriableException: KafkaError: moved [code: NOT_LEADER_OR_FOLLOWER, topic: t, partition: 1]',
  );
  expect(first(new RangeError('x'))).toBe('org.apache.kafka.connect.errors.ConnectException: RangeError: x');
  expect(first('text')).toBe('org.apache.kafka.connect.errors.ConnectException: text');
  expect(first(null)).toBe('org.apache.kafka.connect.errors.ConnectException: null');
});

test('frames, causes, and an end even with circular causes', () => {
  const inner = new Error('inner');
  const outer = new ConnectError('outer', { cause: inner });
  inner.cause = outer;
  const text = formatTrace(outer, 'c');
  expect(text.match(/Caused by: /g)).toHaveLength(1);
  expect(text).toMatch(
    /^.*outer\n\tat .*\nCaused by: org\.apache\.kafka\.connect\.errors\.ConnectException: inner\n\tat /s,
  );
  expect(text.endsWith('\n')).toBe(true);
});

test('a trace is bounded, whatever messages quote, and keeps its frames and causes', () => {
  const cause = new Error('y'.repeat(1_000_000));
  const text = formatTrace(
    new ConnectError(`x${'a.'.repeat(40_000)}\n    at forged`, { cause, place: { k: 'z'.repeat(9999) } }),
    'c',
  );
  expect(text.length).toBeLessThan(TRACE_LIMIT);
  expect(text).toMatch(/^org\.[\w.]+: xa\..*… \(77,96\d more characters\) \[k: z+… \([\d,]+ more characters\)\n\tat /);
  expect(text).not.toContain('forged');
  expect(text).toMatch(/\nCaused by: [\w.]+: y+… \(997,952 more characters\)\n\tat /);
  let chain: Error | undefined;
  for (let i = 0; i < 20; i++) chain = new Error('z'.repeat(100_000), chain && { cause: chain });
  expect(formatTrace(chain, 'c').length).toBeLessThan(TRACE_LIMIT + 100);
  expect(formatTrace(chain, 'c')).toMatch(/more characters\)\n$/);
});

test('a trace contains no value from a config provider', () => {
  addProvidedValue('canary', '${p}', 'c');
  addProvidedValue('80', '${port}', 'c');
  const cause = new Error('CANARY refused at port 80');
  expect(formatTrace(new ConnectError('no canary', { cause, place: { table: 'canaries' } }), 'c')).not.toMatch(
    /canary|port 80/i,
  );
});

test('a host with several addresses gives a nonempty message', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED ::1:1'), { code: 'ECONNREFUSED' });
  expect(messageOf(new AggregateError([refused], ''))).toBe('connect ECONNREFUSED ::1:1');
  expect(messageOf(Object.assign(new Error(''), { code: 'EPIPE' }))).toBe('EPIPE');
});

test('which errors permit a restart', () => {
  expect(isWorthRestarting(new RetriableError('x'))).toBe(true);
  expect(isWorthRestarting(new KafkaError('NETWORK_EXCEPTION', 'x', { retriable: true }))).toBe(true);
  expect(isWorthRestarting(new Error('socket hang up'))).toBe(true);
  expect(isWorthRestarting(new ConfigError('x'))).toBe(false);
  expect(isWorthRestarting(new KafkaError('INVALID_CONFIG', 'x'))).toBe(false);
});

test('a member whose group.instance.id another one has taken stays FAILED, and does not fence that one', () => {
  const fenced = protocolError(82, "join group 'g'");
  expect(fenced).toMatchObject({ code: 'FENCED_INSTANCE_ID', fenced: true });
  expect(isWorthRestarting(fenced)).toBe(false);
  expect(isWorthRestarting(protocolError(90, 'commit a transaction'))).toBe(true);
});

test('a lost session permits a restart; a record whose retries ran out may succeed later, a bad one stays bad', () => {
  expect(isWorthRestarting(new KafkaError('PRODUCER_FENCED', 'x', { fenced: true }))).toBe(true);
  expect(isWorthRestarting(new KafkaError('UNKNOWN_PRODUCER_ID', 'x'))).toBe(true);
  expect(isWorthRestarting(new KafkaError('DELIVERY_TIMEOUT', 'x'))).toBe(true);
  const away = new KafkaError('COORDINATOR_NOT_AVAILABLE', 'x', { retriable: true });
  // As the error of a transaction, which is not possible any more.
  expect(isWorthRestarting(new KafkaError(away.code, 'x', { abortable: true, cause: away }))).toBe(true);
  expect(isWorthRestarting(new KafkaError('SASL_AUTHENTICATION_FAILED', 'x'))).toBe(false);
  expect(isWorthRestarting(new KafkaError('TOPIC_AUTHORIZATION_FAILED', 'x'))).toBe(false);
  const exceeded = (cause: unknown): ConnectError => new ConnectError('x', { code: 'TOLERANCE_EXCEEDED', cause });
  expect(isWorthRestarting(exceeded(new RetriableError('the registry is away')))).toBe(true);
  expect(isWorthRestarting(exceeded(new TypeError('no such field')))).toBe(false);
});

test('an error permits a restart if its cause may be temporary', () => {
  const outage = new RetriableError('the storage does not answer');
  expect(isWorthRestarting(new ConnectError('the file was not delivered', { cause: outage }))).toBe(true);
  const unknown = new KafkaError('UNKNOWN_TOPIC_OR_PARTITION', 'x', { retriable: true });
  expect(isWorthRestarting(new ConnectError('the dead letter topic could not be created', { cause: unknown }))).toBe(
    true,
  );
  expect(isWorthRestarting(new ConnectError('wrong', { cause: new ConfigError('no') }))).toBe(false);
  expect(isWorthRestarting(new ConnectError('wrong', { cause: new Error('no such file') }))).toBe(false);
});
