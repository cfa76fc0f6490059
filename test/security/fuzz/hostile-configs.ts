/** Connector configs that are meant to exhaust a worker, as they arrive in a request. */
import type { Seeded } from '../../helpers/seeded';

const FILE_SINK = { 'connector.class': 'FileStreamSink', topics: 'fuzz' };
const POSTGRES = { 'connector.class': 'io.debezium.connector.postgresql.PostgresConnector', 'topic.prefix': 'p' };

/** Backtracking takes forever on it. */
const EXPRESSIONS = [
  '(a+)+$',
  '(a|a)*b',
  '(.*)*x',
  '([a-zA-Z]+)*\\d',
  '(x+x+)+y',
  `${'(a?)'.repeat(40)}${'a'.repeat(40)}`,
  `${'a*'.repeat(60)}b`,
  '(?=(a+))\\1{1,10000}b',
  `${'('.repeat(5_000)}a${')'.repeat(5_000)}`,
  `[${'a-z'.repeat(20_000)}]`,
  'a{1000}{1000}{1000}',
  '(?<n>a)\\k<n>+\\k<n>+$',
];
const SUBJECT = `${'a'.repeat(60)}!`;

const aliases = (count: number): string => Array.from({ length: count }, (_, i) => `t${i}`).join(',');

/** What must not be shown. */
export interface Secrets {
  /** Of a config provider, with the keys `password` and `key`, which placeholders refer to. */
  readonly file: string;
  /** In PEM, as it stands in configs. */
  readonly privateKey: string;
}

/** Each is created when it is selected: some are large. */
export function hostileConfig({ one, below, chance }: Seeded, { file: secretsFile, privateKey }: Secrets): object {
  // Each bad one occupies a validation thread until that is terminated.
  const expression = chance(0.1) ? one(EXPRESSIONS) : one(['a+', 'fuzz.*', '[', '(?<n>a)']);
  const placeholder = `\${file:${secretsFile}:${one(['password', 'key'])}}`;
  const key = one([privateKey, privateKey.replaceAll('\n', '\\n'), privateKey.slice(0, -12), placeholder]);
  return one<() => object>([
    () => ({ 'connector.class': 'FileStreamSink', 'topics.regex': expression }),
    () => ({ ...FILE_SINK, transforms: 'r', ...router('r', expression, SUBJECT) }),
    () => ({ ...POSTGRES, 'table.include.list': expression, 'column.exclude.list': SUBJECT }),
    () => ({ ...POSTGRES, 'message.key.columns': `${SUBJECT}:${'a,'.repeat(5_000)}` }),
    () => ({
      ...FILE_SINK,
      predicates: 'p',
      'predicates.p.type': 'TopicNameMatches',
      'predicates.p.pattern': expression,
    }),
    () => ({ ...FILE_SINK, transforms: aliases(one([100, 1_000, 10_000])) }),
    () => ({
      ...FILE_SINK,
      transforms: 'a,'.repeat(10_000),
      'transforms.a.type': 'org.apache.kafka.connect.transforms.Flatten$Value',
    }),
    () => ({ ...FILE_SINK, predicates: aliases(one([10, 3_000])) }),
    () => ({ ...FILE_SINK, topics: `${'fuzz,'.repeat(one([10, 100_000]))}fuzz` }),
    () => ({ ...FILE_SINK, topics: ' '.repeat(below(500_000)) }),
    () => ({
      ...FILE_SINK,
      'tasks.max': one(['2147483647', '2147483648', '-1', '1e9', '0x7fffffff', ' 1 ', '9'.repeat(5_000)]),
    }),
    () => ({ ...FILE_SINK, 'tasks.max': '2147483647', 'tasks.max.enforce': 'false' }),
    () => ({ ...FILE_SINK, 'connector.class': placeholder }),
    () => ({ ...FILE_SINK, transforms: placeholder, predicates: placeholder }),
    () => ({ ...FILE_SINK, transforms: 'a', 'transforms.a.type': placeholder, 'transforms.a.predicate': placeholder }),
    () => ({ ...FILE_SINK, 'value.converter': placeholder, 'errors.tolerance': placeholder }),
    () => ({ ...FILE_SINK, 'tasks.max': placeholder, 'errors.retry.timeout': placeholder }),
    () => ({ ...FILE_SINK, 'consumer.override.auto.offset.reset': placeholder }),
    () => ({ ...FILE_SINK, 'consumer.override.sasl.jaas.config': `${'a.'.repeat(one([5, 40_000]))} ${placeholder}` }),
    () => ({
      ...FILE_SINK,
      'consumer.override.bootstrap.servers': one(['', 'x', ':', '127.0.0.1:1', '[::]:99999', 'h:'.repeat(9_000)]),
    }),
    () => ({ ...FILE_SINK, topics: '${'.repeat(one([3, 20_000])), file: '${file:'.repeat(below(5_000)) }),
    () => ({ ...FILE_SINK, file: `\${file:${'../'.repeat(below(500))}etc/passwd:root}` }),
    () => ({ ...FILE_SINK, topics: '${a:${b:${c:d}}}', file: '}'.repeat(below(20_000)) }),
    () => ({
      ...FILE_SINK,
      file: one(['\u0000', '/', '', '/proc/self/mem', 'a'.repeat(5_000), '/dev/full', '..', '%s%n']),
    }),
    () => ({
      ...POSTGRES,
      'database.hostname': one(['127.0.0.1', '\u0000', 'a'.repeat(10_000), '::1']),
      'database.port': one(['1', '70000', 'x']),
    }),
    () => ({ ...POSTGRES, 'database.sslkey': key, sslkey: key, 'database.port': one(['1', key]) }),
    () => ({ ...POSTGRES, 'database.hostname': key, 'snapshot.mode': key, 'table.include.list': key }),
    () => ({ ...FILE_SINK, topics: key, 'value.converter': key, 'errors.tolerance': key, label: key }),
    () => ({ ...FILE_SINK, 'consumer.override.ssl.keystore.key': key, 'consumer.override.client.id': key }),
    () => ({ 'connector.class': key, transforms: key }),
    // Its task fails, and the error in the log quotes the path.
    () => ({ ...FILE_SINK, file: `/nowhere/${key}` }),
    () => wide(one([100, 5_000, 30_000]), chance(0.5)),
    () => ({
      ...FILE_SINK,
      ['k'.repeat(below(200_000))]: 'v',
      ['\ud800']: '\udfff',
      __proto__: 'x',
      'a\u0000b': '\u0000',
    }),
    () => ({ ...FILE_SINK, 'errors.deadletterqueue.topic.name': 'x'.repeat(below(400)), 'errors.tolerance': 'all' }),
    () => ({
      ...FILE_SINK,
      'key.converter': 'org.apache.kafka.connect.json.JsonConverter',
      'key.converter.schemas.cache.size': one(['1e9', '2147483647', '-1']),
    }),
    () => ({ ...FILE_SINK, 'errors.restart.max': '-1', 'errors.restart.backoff.ms': one(['0', '9'.repeat(30), '-5']) }),
  ])();
}

function router(alias: string, regex: string, replacement: string): object {
  const type = 'org.apache.kafka.connect.transforms.RegexRouter';
  return {
    [`transforms.${alias}.type`]: type,
    [`transforms.${alias}.regex`]: regex,
    [`transforms.${alias}.replacement`]: replacement,
  };
}

function wide(keys: number, isKnown: boolean): object {
  const config: Record<string, string> = isKnown ? { ...FILE_SINK } : { 'connector.class': 'Nope' };
  for (let i = 0; i < keys; i++) config[`key.${i}`] = `value ${i}`;
  return config;
}
