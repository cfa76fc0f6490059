/** Documents of connectors in jars, which Java's worker and Millrace run unchanged, and what they are to deliver. */
import { appendFile } from 'node:fs/promises';
import type { TestDatabase } from '../../helpers/test-database';

export interface Document {
  readonly name: string;
  readonly config: Record<string, string>;
}

/** The versions of the jars: where Millrace has a connector of the same name, they ask for the jar's. */
const FILE_JAR = { 'connector.plugin.version': '4.3.1' };
const DEBEZIUM_JAR = { 'connector.plugin.version': '3.7.0.Final' };
const BYTES = 'org.apache.kafka.connect.converters.ByteArrayConverter';
const JSON_WITH_SCHEMAS = {
  'key.converter': 'org.apache.kafka.connect.json.JsonConverter',
  'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
};

export const fileSource = (name: string, topic: string, file: string, more = {}): Document => ({
  name,
  config: {
    'connector.class': 'org.apache.kafka.connect.file.FileStreamSourceConnector',
    ...FILE_JAR,
    'tasks.max': '1',
    topic,
    file,
    ...more,
  },
});

export const fileSink = (name: string, topics: string, file: string, more = {}): Document => ({
  name,
  config: {
    'connector.class': 'org.apache.kafka.connect.file.FileStreamSinkConnector',
    ...FILE_JAR,
    'tasks.max': '1',
    topics,
    file,
    ...more,
  },
});

export type Mirror = 'Source' | 'Checkpoint' | 'Heartbeat';

/** One cluster under two names. */
export const mirror = (kind: Mirror, name: string, aliases: readonly [string, string], more = {}): Document => ({
  name,
  config: {
    'connector.class': `org.apache.kafka.connect.mirror.Mirror${kind}Connector`,
    'tasks.max': '1',
    'source.cluster.alias': aliases[0],
    'target.cluster.alias': aliases[1],
    'source.cluster.bootstrap.servers': process.env.BOOTSTRAP_SERVERS ?? '',
    'target.cluster.bootstrap.servers': process.env.BOOTSTRAP_SERVERS ?? '',
    'replication.factor': '1',
    'offset-syncs.topic.replication.factor': '1',
    'checkpoints.topic.replication.factor': '1',
    'heartbeats.topic.replication.factor': '1',
    'sync.topic.acls.enabled': 'false',
    // Otherwise they are copied, and the copies are copied.
    'heartbeats.replication.enabled': 'false',
    // By default, not those of sinks.
    'groups.exclude': 'none',
    'refresh.topics.interval.seconds': '1',
    'refresh.groups.interval.seconds': '1',
    'emit.checkpoints.interval.seconds': '1',
    'emit.heartbeats.interval.seconds': '1',
    'consumer.auto.offset.reset': 'earliest',
    'key.converter': BYTES,
    'value.converter': BYTES,
    'header.converter': BYTES,
    ...more,
  },
});

export const debezium = (name: string, database: TestDatabase, more = {}): Document => ({
  name,
  config: database.sourceConfig({ ...DEBEZIUM_JAR, 'poll.interval.ms': '50', ...JSON_WITH_SCHEMAS, ...more }),
});

export const jdbcSink = (name: string, topics: string, database: TestDatabase, table: string, more = {}): Document => {
  const url = new URL(database.url);
  return {
    name,
    config: {
      'connector.class': 'io.debezium.connector.jdbc.JdbcSinkConnector',
      'tasks.max': '1',
      topics,
      'connection.url': `jdbc:postgresql://${url.host}${url.pathname}`,
      'connection.username': decodeURIComponent(url.username),
      'connection.password': decodeURIComponent(url.password) || 'none',
      'collection.name.format': table,
      'insert.mode': 'upsert',
      'delete.enabled': 'true',
      'primary.key.mode': 'record_key',
      'schema.evolution': 'basic',
      ...JSON_WITH_SCHEMAS,
      ...more,
    },
  };
};

/** A file that grows by numbered lines. */
export class GrowingFile {
  private count = 0;

  constructor(readonly path: string) {}

  async grow(lines: number): Promise<void> {
    const from = this.count;
    this.count += lines;
    await appendFile(this.path, Array.from({ length: lines }, (_, i) => `line ${from + i}\n`).join(''));
  }

  get lines(): string[] {
    return Array.from({ length: this.count }, (_, i) => `line ${i}`);
  }
}
