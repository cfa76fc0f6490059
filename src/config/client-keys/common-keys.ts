/**
 * Settings that Kafka 4.3.1's producers, consumers and admin clients share: names, types and defaults; the words are
 * ours.
 */
import { key } from './client-key';

export const COMMON_KEYS = [
  key(
    'client.dns.lookup',
    'STRING',
    'MEDIUM',
    'use_all_dns_ips',
    'Whether every address of a host name is tried, or names are made canonical first.',
  ),
  key('send.buffer.bytes', 'INT', 'MEDIUM', 131072, "Size of the socket's send buffer; -1: the system's."),
  key('reconnect.backoff.ms', 'LONG', 'LOW', 50, 'Wait before a connection is tried again; it grows.'),
  key('reconnect.backoff.max.ms', 'LONG', 'LOW', 1000, 'Longest wait before a connection is tried again.'),
  key('retry.backoff.ms', 'LONG', 'LOW', 100, 'Wait before a request is sent again; it grows.'),
  key('retry.backoff.max.ms', 'LONG', 'LOW', 1000, 'Longest wait before a request is sent again.'),
  key('request.timeout.ms', 'INT', 'MEDIUM', 30000, 'How long an answer is waited for.'),
  key('metadata.max.age.ms', 'LONG', 'LOW', 300000, 'Metadata are asked for again after this.'),
  key('metrics.sample.window.ms', 'LONG', 'LOW', 30000, 'Length of one sample of a metric.'),
  key('metrics.num.samples', 'INT', 'LOW', 2, 'Samples that a metric is made of.'),
  key('metrics.recording.level', 'STRING', 'LOW', 'INFO', 'INFO, DEBUG or TRACE.'),
  key(
    'metric.reporters',
    'LIST',
    'LOW',
    ['org.apache.kafka.common.metrics.JmxReporter'],
    'Classes that are given the metrics.',
  ),
  key(
    'socket.connection.setup.timeout.ms',
    'LONG',
    'MEDIUM',
    10000,
    'How long a connection may take to open; it grows.',
  ),
  key(
    'socket.connection.setup.timeout.max.ms',
    'LONG',
    'MEDIUM',
    30000,
    'Longest time that a connection may take to open.',
  ),
  key(
    'metadata.recovery.strategy',
    'STRING',
    'LOW',
    'rebootstrap',
    'rebootstrap or none: what to do when no known broker can be reached.',
  ),
  key(
    'metadata.recovery.rebootstrap.trigger.ms',
    'LONG',
    'LOW',
    300000,
    'Begin with bootstrap.servers again after so long without metadata.',
  ),
  key('config.providers', 'LIST', 'LOW', [], 'Names of configuration providers.'),
];
