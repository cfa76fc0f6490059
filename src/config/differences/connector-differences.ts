/**
 * What of a connector's config works differently than in Java, as far as the runtime reads it: client overrides, keys
 * of the framework, keys of licenses. A plugin describes its own keys. Pure.
 */
import type { ConnectorConfig } from '@millrace/sdk';
import { OVERRIDDEN_CLIENTS } from '../client-override-policy';
import { withoutPrefix } from '../client-config';
import { clientDifference } from './client-rows';
import { covers, differenceOf, type Difference, type DifferenceRow } from './difference';

const isSink = ({ topics, 'topics.regex': regex }: ConnectorConfig): boolean =>
  (topics ?? '').trim() !== '' || (regex ?? '').trim() !== '';

const ROWS: readonly DifferenceRow[] = [
  {
    key: /^confluent\.(?:license|topic)(?:\.|$)/,
    kind: 'ignored',
    message: 'Millrace needs no license.',
    instead: 'Remove it.',
  },
  {
    key: /^confluent\./,
    kind: 'ignored',
    message: 'It configures Java classes of Confluent, which cannot run here.',
  },
  {
    key: /^config\.providers(?:\.|$)/,
    kind: 'ignored',
    message: 'Placeholders are replaced by the config providers of the worker.',
    instead: 'Set it in the worker settings.',
  },
  {
    key: /^(?:producer|consumer|admin)\.(?!override\.)/,
    kind: 'ignored',
    message:
      'It has no effect in Java Connect, either: the settings of clients in a connector have the prefix override.',
    instead: 'Write producer.override.*, consumer.override.* or admin.override.*.',
  },
  {
    key: 'errors.retry.timeout',
    kind: 'changed',
    message: 'A record whose retries are exhausted fails the task; Java skips it.',
    instead: 'Set errors.tolerance=all to skip it.',
    same: ['0'],
    when: ({ 'errors.tolerance': tolerance = 'none' }) => tolerance.trim().toLowerCase() !== 'all',
  },
  {
    key: 'errors.tolerance',
    kind: 'changed',
    message: 'When put() rejects a batch, only the records that fail are skipped; in Java the task fails.',
    instead: 'Set errors.bisect=false for Java’s behavior.',
    same: ['none'],
    when: (config) => isSink(config) && (config['errors.bisect'] ?? '').trim().toLowerCase() !== 'false',
  },
];

/** The differences of one config, in the order of its keys. */
export function connectorDifferences(config: ConnectorConfig): readonly Difference[] {
  const clients = OVERRIDDEN_CLIENTS.map((client) => {
    const prefix = `${client}.override.`;
    return { client, prefix, settings: withoutPrefix(config, prefix) };
  });
  return Object.keys(config).flatMap((key) => {
    const of = clients.find(({ prefix }) => key.startsWith(prefix));
    const found =
      of === undefined
        ? differenceOf(ROWS, key, config)
        : clientDifference(of.client, key.slice(of.prefix.length), of.settings, of.prefix);
    return found ?? [];
  });
}

/** Whether the key of a connector is known here, so that it is not a typing error. */
export function isKnownDifference(key: string): boolean {
  return (
    OVERRIDDEN_CLIENTS.some((client) => key.startsWith(`${client}.override.`)) || ROWS.some((row) => covers(row, key))
  );
}
