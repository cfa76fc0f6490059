/** Debezium's PostgreSQL connector, fetched once from Maven Central into the cache. */
import { dirname } from 'node:path';
import { fetchJars } from './kafka-jars';

/**
 * Resolves to what `plugin.path` of Java's worker has to be: a folder with one folder of jars. Downloads about 7 MB the
 * first time.
 */
export async function debeziumPluginPath(): Promise<string> {
  return dirname(
    await fetchJars({ pom: 'debezium-pom.xml', folder: 'debezium', what: 'Debezium', version: '3.7.0.Final' }),
  );
}
