/** The settings of `millrace dev`, and of commands without others. */
const JSON_CONVERTER = 'org.apache.kafka.connect.json.JsonConverter';

export const DEV_DEFAULTS: Readonly<Record<string, string>> = {
  'bootstrap.servers': 'embedded',
  'group.id': 'millrace-dev',
  'config.storage.topic': 'millrace-dev-configs',
  'offset.storage.topic': 'millrace-dev-offsets',
  'status.storage.topic': 'millrace-dev-status',
  // The broker's default: 1 with the embedded broker.
  'config.storage.replication.factor': '-1',
  'offset.storage.replication.factor': '-1',
  'status.storage.replication.factor': '-1',
  'key.converter': JSON_CONVERTER,
  'value.converter': JSON_CONVERTER,
  listeners: 'http://127.0.0.1:8083',
  'offset.flush.interval.ms': '10000',
  'plugin.watch': 'true',
  // When a worker stops, its tasks move at once instead of waiting for it to return.
  'scheduled.rebalance.max.delay.ms': '0',
};
