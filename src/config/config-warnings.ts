/**
 * Warnings about settings that are valid but probably not intended. Pure. Sources: connect-rest §5, connect-runtime
 * §1.2.
 */
import { nearestName } from '@millrace/sdk';
import { EMBEDDED_SETTINGS } from './embedded-broker';
import { rowsOf } from './setting';
import type { WorkerConfig } from './worker-config';
import { WORKER_SETTINGS } from './worker-settings';

/**
 * Unprefixed client settings that are common in worker configs: known, so that they are not reported as typing errors.
 */
const CLIENT_SETTINGS = [
  'acks',
  'client.dns.lookup',
  'compression.type',
  'connections.max.idle.ms',
  'default.api.timeout.ms',
  'isolation.level',
  'metadata.max.age.ms',
  'metadata.recovery.rebootstrap.trigger.ms',
  'metadata.recovery.strategy',
  'receive.buffer.bytes',
  'reconnect.backoff.max.ms',
  'reconnect.backoff.ms',
  'request.timeout.ms',
  'retry.backoff.max.ms',
  'retry.backoff.ms',
  'sasl.jaas.config',
  'sasl.mechanism',
  'security.protocol',
  'send.buffer.bytes',
  'socket.connection.setup.timeout.max.ms',
  'socket.connection.setup.timeout.ms',
];

const KNOWN = new Set([
  ...[WORKER_SETTINGS, EMBEDDED_SETTINGS].flatMap(rowsOf).map(({ name }) => name),
  ...CLIENT_SETTINGS,
  'config.storage.partitions',
]);
/** Keys of Java's worker that configure what a Java process has. */
const INEFFECTIVE = [
  'metric.reporters',
  'metrics.recording.level',
  'auto.include.jmx.reporter',
  'plugin.discovery',
  ...['producer.', 'consumer.', 'admin.'].flatMap((prefix) => [
    `${prefix}metric.reporters`,
    `${prefix}interceptor.classes`,
  ]),
];

/**
 * One sentence each, without values.
 * @param ofPlugins settings that plugins request in their manifests
 */
export function configWarnings(raw: Readonly<Record<string, string>>, ofPlugins: readonly string[] = []): string[] {
  const warnings = suspiciousKeys(Object.keys(raw), ofPlugins).map(
    ({ key, meant }) => `Worker setting "${key}" is not known and is ignored; did you mean "${meant}"?`,
  );
  if (raw['config.storage.partitions'] !== undefined) {
    warnings.push('Worker setting "config.storage.partitions" is ignored: the config topic always has one partition.');
  }
  for (const kind of ['config', 'offset', 'status']) {
    const key = `${kind}.storage.cleanup.policy`;
    if (raw[key] !== undefined)
      warnings.push(`Worker setting "${key}" is ignored: storage topics are always compacted.`);
  }
  const { pluginWatch, taskHost } = WORKER_SETTINGS;
  if (raw[pluginWatch.name]?.trim().toLowerCase() === 'true' && raw[taskHost.name]?.trim().toLowerCase() === 'inline')
    warnings.push(
      `Worker setting "${pluginWatch.name}" has no effect with ${taskHost.name}=inline: only threads can load changed code.`,
    );
  const ineffective = INEFFECTIVE.filter((key) => (raw[key] ?? '').trim() !== '');
  if (ineffective.length > 0)
    warnings.push(
      `Worker settings without effect in Millrace: ${ineffective.join(', ')}. Metrics are in GET /metrics, and plugins are found by their manifests.`,
    );
  const protocol = raw['connect.protocol'] ?? '';
  if (!['', 'sessioned'].includes(protocol.toLowerCase()))
    warnings.push(
      `Internal request verification will be disabled for this cluster as this worker's connect.protocol configuration has ` +
        `been set to '${protocol}'. If this is not intentional, either remove the 'connect.protocol' configuration from the ` +
        `worker config file or change its value to 'sessioned'. If this configuration is left as-is, the cluster will be ` +
        'insecure: anyone who can connect may publish task configs, with HTTP Basic, too',
    );
  return warnings;
}

type Worker = Pick<WorkerConfig, 'client' | 'exactlyOnceSourceSupport'>;

/**
 * A setting of Kafka clients that storage topics replace, in Java's words. Null: it has that value, or none.
 * @param whose completes the sentence, e.g. "the worker offsets topic consumer"
 */
export function replacedWarning(given: string | undefined, key: string, value: string, whose: string): string | null {
  if (given === undefined || given.toLowerCase() === value) return null;
  return (
    `The value '${given}' for the '${key}' property will be ignored as it cannot be overridden for ${whose}. ` +
    `The value '${value}' will be used instead.`
  );
}

/** Of the worker's own clients: one sentence for each replaced value. */
export function forcedSettingWarnings({ client, exactlyOnceSourceSupport: support }: Worker): string[] {
  const given = client('worker');
  const replaced = (key: string, value: string, whose: string): string[] => {
    const warning = replacedWarning(given[key], key, value, whose);
    return warning === null ? [] : [warning];
  };
  const committed = (consumer: string): string[] => replaced('isolation.level', 'read_committed', consumer);
  const enabled = 'when exactly-once source support is enabled';
  switch (support) {
    case 'disabled':
      return committed('the worker offsets topic consumer');
    case 'preparing':
      return [...committed('the worker offsets topic consumer'), ...leaderProducer()];
    case 'enabled':
      return [
        ...committed(`the worker offsets topic consumer ${enabled}`),
        ...leaderProducer(),
        ...committed(`the worker's config topic consumer ${enabled}`),
      ];
  }

  function leaderProducer(): string[] {
    return replaced(
      'enable.idempotence',
      'true',
      `the worker's config topic producer ${enabled} or in preparation to be enabled`,
    );
  }
}

export interface SuspiciousKey {
  readonly key: string;
  readonly meant: string;
}

/** Unknown keys that are likely typing errors of a known one. Others are ignored silently, as in Java. */
function suspiciousKeys(keys: readonly string[], ofPlugins: readonly string[] = []): SuspiciousKey[] {
  const known = new Set([...KNOWN, ...ofPlugins]);
  return keys.flatMap((key) => {
    const meant = known.has(key) ? null : nearestName(key, known);
    return meant === null ? [] : [{ key, meant }];
  });
}
