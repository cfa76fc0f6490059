/** Unpacks Confluent's AvroConverter and what it uses from an archive of Maven Central into the cache, once. */
import { fetchJars } from './kafka-jars';

const CLASSES = [
  'io/confluent/**',
  'io/swagger/v3/**',
  'org/apache/avro/**',
  'org/apache/commons/**',
  'com/google/common/**',
];

/**
 * Resolves with a folder for the class path, to be after Java Connect's jars, which it needs. Downloads 164 MB the
 * first time, and keeps 30 MB.
 */
export async function avroConverterClasses(): Promise<string> {
  return await fetchJars({
    pom: 'avro-converter-pom.xml',
    folder: 'avro-converter',
    what: "Confluent's AvroConverter",
    version: '7.7.0',
    unpack: CLASSES.join(),
  });
}
