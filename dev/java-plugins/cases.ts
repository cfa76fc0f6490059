/** Configs that both kinds of workers validate. */

export type Config = Readonly<Record<string, string>>;

export interface Key {
  readonly name: string;
  readonly type: string;
}

/** Nobody listens there, and a connection is refused at once. */
const NOWHERE = { host: '127.0.0.1', port: '1' };

const DEBEZIUM = {
  'topic.prefix': 'p',
  'database.hostname': NOWHERE.host,
  'database.port': NOWHERE.port,
  'database.user': 'u',
  'database.password': 'secret',
};
const HISTORY = {
  'schema.history.internal.kafka.bootstrap.servers': `${NOWHERE.host}:${NOWHERE.port}`,
  'schema.history.internal.kafka.topic': 'history',
};
const CLUSTERS = {
  'source.cluster.alias': 'a',
  'target.cluster.alias': 'b',
  'source.cluster.bootstrap.servers': `${NOWHERE.host}:${NOWHERE.port}`,
  'target.cluster.bootstrap.servers': `${NOWHERE.host}:${NOWHERE.port}`,
};

/** What each connector needs to be valid, besides `connector.class` and `name`; by the end of its class. */
const NEEDED: Readonly<Record<string, Config>> = {
  FileStreamSourceConnector: { topic: 't', file: '/dev/null' },
  FileStreamSinkConnector: { topics: 't', file: '/dev/null' },
  MirrorSourceConnector: { ...CLUSTERS, topics: 't.*' },
  MirrorCheckpointConnector: { ...CLUSTERS, groups: 'g.*' },
  MirrorHeartbeatConnector: CLUSTERS,
  PostgresConnector: { ...DEBEZIUM, 'database.dbname': 'd', 'plugin.name': 'pgoutput' },
  JdbcSinkConnector: {
    topics: 't',
    'connection.url': `jdbc:postgresql://${NOWHERE.host}:${NOWHERE.port}/d`,
    'connection.username': 'u',
    'connection.password': 'secret',
  },
  MySqlConnector: { ...DEBEZIUM, ...HISTORY, 'database.server.id': '1' },
  MongoDbConnector: {
    'topic.prefix': 'p',
    'mongodb.connection.string': 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100',
  },
  MongoDbSinkConnector: {
    topics: 't',
    'mongodb.connection.string': 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100',
    'sink.database': 'd',
  },
  SqlServerConnector: {
    ...DEBEZIUM,
    ...HISTORY,
    'database.names': 'd',
    // Otherwise it tries for half a minute.
    'driver.connectRetryCount': '0',
    'driver.loginTimeout': '1',
  },
  SnowflakeSinkConnector: {
    topics: 't',
    'snowflake.url.name': 'account.snowflakecomputing.invalid:443',
    'snowflake.user.name': 'u',
    'snowflake.private.key': 'secret',
    'snowflake.database.name': 'd',
    'snowflake.schema.name': 's',
  },
  CloudPubSubSourceConnector: { 'kafka.topic': 't', 'cps.project': 'p', 'cps.subscription': 's' },
  CloudPubSubSinkConnector: { topics: 't', 'cps.project': 'p', 'cps.topic': 's' },
  PubSubLiteSourceConnector: {
    'kafka.topic': 't',
    'pubsublite.project': 'p',
    'pubsublite.location': 'europe-west1-b',
    'pubsublite.subscription': 's',
  },
  PubSubLiteSinkConnector: {
    topics: 't',
    'pubsublite.project': 'p',
    'pubsublite.location': 'europe-west1-b',
    'pubsublite.topic': 's',
  },
  IcebergSinkConnector: { topics: 't', 'iceberg.tables': 'd.t', 'iceberg.catalog.type': 'rest' },
};

/** Values that are wrong for the types of keys, or at the ends of their ranges. */
const WRONG: Readonly<Record<string, readonly string[]>> = {
  BOOLEAN: ['maybe', '', 'TRUE'],
  STRING: ['no such value', '', ' spaces '],
  INT: ['many', '', '-1', '2147483648'],
  SHORT: ['many', '', '-1', '32768'],
  LONG: ['many', '', '-1', '9223372036854775808'],
  DOUBLE: ['many', '', '-1', '1e400'],
  LIST: [',', '', 'a,,b'],
  CLASS: ['no.such.Class', '', 'java.lang.String'],
  PASSWORD: ['', ' ', 'a secret'],
};
/** Keys that decide which connector is validated. */
const KEPT = new Set(['connector.class', 'name', 'connector.plugin.version', 'plugin.version']);

export interface ValidationCase {
  readonly title: string;
  readonly config: Config;
}

/** @param keys the definitions of the connector's own keys */
export function casesOf(connector: string, version: string | null, keys: readonly Key[]): ValidationCase[] {
  const simple = connector.slice(connector.lastIndexOf('.') + 1);
  const base = { 'connector.class': connector, ...(version === null ? {} : { 'connector.plugin.version': version }) };
  const needed: Config = { ...base, name: 'validated', ...NEEDED[simple] };
  const cases: ValidationCase[] = [
    { title: 'nothing', config: base },
    { title: 'a name', config: { ...base, name: 'validated' } },
    { title: 'what it needs', config: needed },
    { title: 'unknown keys', config: { ...needed, 'no.such.key': 'x', __proto: 'y', 'transforms.none.type': 'z' } },
  ];
  for (const [name] of Object.entries(NEEDED[simple] ?? {})) {
    const { [name]: _, ...others } = needed;
    cases.push({ title: `without ${name}`, config: others });
  }
  for (let i = 0; i < 4; i++) {
    const wrong = keys.flatMap(({ name, type }) => {
      const value = WRONG[type]?.[i];
      return KEPT.has(name) || value === undefined ? [] : [[name, value] as const];
    });
    cases.push({ title: `wrong values, ${i + 1} of 4`, config: { ...needed, ...Object.fromEntries(wrong) } });
  }
  return cases;
}
