/**
 * Settings that Kafka 4.3.1's producers, consumers and admin clients share. Names, types and defaults are Kafka's, the
 * documentation is Millrace's.
 */
import { key } from './client-key';

export const COMMON_KEYS = [
  key(
    'client.dns.lookup',
    'STRING',
    'MEDIUM',
    'use_all_dns_ips',
    'use_all_dns_ips: try all addresses of a host. resolve_canonical_bootstrap_servers_only: resolve canonical names first.',
  ),
  key('send.buffer.bytes', 'INT', 'MEDIUM', 131072, "Size of the socket's send buffer; -1: the system's."),
  key('reconnect.backoff.ms', 'LONG', 'LOW', 50, 'Initial backoff before a reconnect; it grows.'),
  key('reconnect.backoff.max.ms', 'LONG', 'LOW', 1000, 'Maximum backoff before a reconnect.'),
  key('retry.backoff.ms', 'LONG', 'LOW', 100, 'Initial backoff before a retry; it grows.'),
  key('retry.backoff.max.ms', 'LONG', 'LOW', 1000, 'Maximum backoff before a retry.'),
  key('request.timeout.ms', 'INT', 'MEDIUM', 30000, 'Maximum wait for a response.'),
  key('metadata.max.age.ms', 'LONG', 'LOW', 300000, 'Age after which metadata is refreshed.'),
  key('metrics.sample.window.ms', 'LONG', 'LOW', 30000, 'Length of one metrics sample.'),
  key('metrics.num.samples', 'INT', 'LOW', 2, 'Number of samples per metric.'),
  key('metrics.recording.level', 'STRING', 'LOW', 'INFO', 'Recording level: INFO, DEBUG or TRACE.'),
  key('metric.reporters', 'LIST', 'LOW', ['org.apache.kafka.common.metrics.JmxReporter'], 'Metrics reporter classes.'),
  key(
    'socket.connection.setup.timeout.ms',
    'LONG',
    'MEDIUM',
    10000,
    'Initial timeout for opening a connection; it grows.',
  ),
  key('socket.connection.setup.timeout.max.ms', 'LONG', 'MEDIUM', 30000, 'Maximum timeout for opening a connection.'),
  key(
    'metadata.recovery.strategy',
    'STRING',
    'LOW',
    'rebootstrap',
    'Recovery when no known broker is reachable: rebootstrap or none.',
  ),
  key(
    'metadata.recovery.rebootstrap.trigger.ms',
    'LONG',
    'LOW',
    300000,
    'Time without metadata after which the client rebootstraps.',
  ),
  key('config.providers', 'LIST', 'LOW', [], 'Names of config providers.'),
];
