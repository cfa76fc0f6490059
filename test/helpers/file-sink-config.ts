/** A file sink that writes each record value as stored in Kafka, one per line. */
export function fileSinkConfig(
  topic: string,
  file: string,
  overrides: Record<string, string> = {},
): Record<string, string> {
  return {
    'connector.class': 'org.apache.kafka.connect.file.FileStreamSinkConnector',
    'tasks.max': '1',
    topics: topic,
    file,
    'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
    'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
    ...overrides,
  };
}
