/** Downloads Debezium's PostgreSQL connector from Maven Central into the cache, once. */
import { dirname } from 'node:path';
import { fetchJars } from './kafka-jars';

/**
 * Resolves with a `plugin.path` for a Java worker: a folder that contains a folder of jars. Downloads about 7 MB the
 * first time.
 */
export async function debeziumPluginPath(): Promise<string> {
  return dirname(
    await fetchJars({ pom: 'debezium-pom.xml', folder: 'debezium', what: 'Debezium', version: '3.7.0.Final' }),
  );
}
