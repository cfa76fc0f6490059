/** Downloads Java plugins from Maven Central into the cache, each in a folder as a user's `plugin.path` has it. */
import { dirname } from 'node:path';
import { debeziumPluginPath } from './debezium-jars';
import { javaConnectJars } from './java-connect-jars';
import { fetchJars, KAFKA_VERSION } from './kafka-jars';

const FILE = 'org.apache.kafka.connect.file.FileStream';
const MIRROR = 'org.apache.kafka.connect.mirror.Mirror';

export interface PluginJars {
  /** `group:artifact:version` of what the folder has, with their dependencies. */
  readonly artifacts: readonly string[];
  /** Its connectors. */
  readonly connectors: readonly string[];
  /** `group:artifact` of dependencies that it does without. (Default: all of Kafka's, which a worker brings) */
  readonly excluded?: readonly string[];
  /** Megabytes of the folder: tests fetch small ones only. */
  readonly megabytes: number;
}

/** By the name of the folder. */
export const PLUGIN_JARS = {
  file: {
    artifacts: [`org.apache.kafka:connect-file:${KAFKA_VERSION}`],
    connectors: [`${FILE}SourceConnector`, `${FILE}SinkConnector`],
    megabytes: 1,
  },
  mirror: {
    // MirrorMaker uses classes of Connect's runtime, which a Java worker has itself.
    artifacts: [
      `org.apache.kafka:connect-mirror:${KAFKA_VERSION}`,
      `org.apache.kafka:connect-runtime:${KAFKA_VERSION}`,
    ],
    connectors: [`${MIRROR}SourceConnector`, `${MIRROR}CheckpointConnector`, `${MIRROR}HeartbeatConnector`],
    excluded: ['org.apache.kafka:kafka-clients'],
    megabytes: 14,
  },
  'debezium-postgres': {
    artifacts: ['io.debezium:debezium-connector-postgres:3.7.0.Final'],
    connectors: ['io.debezium.connector.postgresql.PostgresConnector'],
    megabytes: 8,
  },
  'debezium-jdbc': {
    artifacts: [
      'io.debezium:debezium-connector-jdbc:3.6.0.Final',
      'org.hibernate.orm:hibernate-core:7.2.19.Final',
      'org.hibernate.orm:hibernate-agroal:7.2.19.Final',
      'org.postgresql:postgresql:42.7.7',
    ],
    connectors: ['io.debezium.connector.jdbc.JdbcSinkConnector'],
    excluded: [
      'org.apache.kafka:*',
      // Its group has not been this one since version 6.
      'org.hibernate:hibernate-agroal',
      'com.oracle.database.jdbc:*',
      // Hibernate asks for all modules, and Java's worker has one that does not fit another Jackson than its own.
      'com.fasterxml.jackson.core:*',
    ],
    megabytes: 36,
  },
  'debezium-mysql': {
    artifacts: ['io.debezium:debezium-connector-mysql:3.6.1.Final'],
    connectors: ['io.debezium.connector.mysql.MySqlConnector'],
    megabytes: 21,
  },
  'debezium-mongodb': {
    artifacts: ['io.debezium:debezium-connector-mongodb:3.6.1.Final'],
    connectors: [
      'io.debezium.connector.mongodb.MongoDbConnector',
      'io.debezium.connector.mongodb.MongoDbSinkConnector',
    ],
    megabytes: 7,
  },
  'debezium-sqlserver': {
    artifacts: ['io.debezium:debezium-connector-sqlserver:3.6.1.Final'],
    connectors: ['io.debezium.connector.sqlserver.SqlServerConnector'],
    megabytes: 6,
  },
  snowflake: {
    artifacts: ['com.snowflake:snowflake-kafka-connector:2.5.0'],
    connectors: ['com.snowflake.kafka.connector.SnowflakeSinkConnector'],
    // Its jar contains them.
    excluded: ['*:*'],
    megabytes: 160,
  },
  pubsub: {
    artifacts: ['com.google.cloud:pubsub-group-kafka-connector:1.3.3'],
    connectors: [
      'com.google.pubsub.kafka.source.CloudPubSubSourceConnector',
      'com.google.pubsub.kafka.sink.CloudPubSubSinkConnector',
      'com.google.pubsublite.kafka.source.PubSubLiteSourceConnector',
      'com.google.pubsublite.kafka.sink.PubSubLiteSinkConnector',
    ],
    megabytes: 61,
  },
  iceberg: {
    artifacts: ['org.apache.iceberg:iceberg-kafka-connect:1.12.0'],
    connectors: ['org.apache.iceberg.connect.IcebergSinkConnector'],
    megabytes: 40,
  },
} as const satisfies Record<string, PluginJars>;

export type PluginFolder = keyof typeof PLUGIN_JARS;

/** Resolves with a `plugin.path` of these folders. Downloads what is not in the cache. */
export async function pluginPath(...folders: readonly PluginFolder[]): Promise<string> {
  const paths: string[] = [];
  // One after the other: they share Maven's repository.
  for (const folder of folders) paths.push(await parentOf(folder));
  return paths.join(',');
}

async function parentOf(name: PluginFolder): Promise<string> {
  // These have been in the cache since before.
  if (name === 'file') return (await javaConnectJars()).pluginPath;
  if (name === 'debezium-postgres') return await debeziumPluginPath();
  const jars: PluginJars = PLUGIN_JARS[name];
  const version = (jars.artifacts[0] as string).split(':')[2] as string;
  const folder = `java-plugins/${name}-${version}`;
  return dirname(await fetchJars({ pom: { text: pomOf(name, jars) }, folder, what: name, version: name }));
}

function pomOf(name: string, { artifacts, excluded = ['org.apache.kafka:*'] }: PluginJars): string {
  const id = (coordinates: string): string => {
    const [group, artifact, version] = coordinates.split(':');
    const of = version === undefined ? '' : `<version>${version}</version>`;
    return `<groupId>${group}</groupId><artifactId>${artifact}</artifactId>${of}`;
  };
  const without = excluded.map((one) => `<exclusion>${id(one)}</exclusion>`).join('');
  const dependencies = artifacts.map(
    (one) => `    <dependency>${id(one)}<exclusions>${without}</exclusions></dependency>\n`,
  );
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  ${id(`millrace:${name}-for-tests:1`)}
  <packaging>pom</packaging>
  <dependencies>
${dependencies.join('')}  </dependencies>
</project>
`;
}
