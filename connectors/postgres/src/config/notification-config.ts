/** Settings of notifications (cdc-postgres §4.12). */
import type { ConnectorConfig } from '@millrace/sdk';
import { KEY } from './definitions';
import { splitList } from './patterns';

type NotificationChannel = 'log' | 'sink' | 'jmx';

export interface NotificationConfig {
  readonly channels: ReadonlySet<NotificationChannel>;
  /** Set when `sink` is one of the channels. */
  readonly topic: string | null;
}

/** `jmx` is accepted: it shows notifications to tools that Node.js does not have, and sends them nowhere. */
const CHANNELS: readonly string[] = ['log', 'sink', 'jmx'] satisfies NotificationChannel[];

export function notificationConfig(values: ConnectorConfig): NotificationConfig {
  const topic = values[KEY.notificationSinkTopicName]?.trim() ?? '';
  return { channels: new Set(channels(values) as NotificationChannel[]), topic: topic === '' ? null : topic };
}

export function checkNotifications(values: ConnectorConfig, complain: (name: string, message: string) => void): void {
  const enabled = channels(values);
  const unknown = enabled.find((name) => !CHANNELS.includes(name));
  if (unknown !== undefined)
    complain(
      KEY.notificationEnabledChannels,
      `"${unknown}" is not a supported notification channel; use one or more of ${CHANNELS.join(', ')}`,
    );
  if (enabled.includes('sink') && notificationConfig(values).topic === null)
    complain(
      KEY.notificationSinkTopicName,
      'Notification topic name must be provided when kafka notification channel is enabled',
    );
}

function channels(values: ConnectorConfig): string[] {
  return splitList(values[KEY.notificationEnabledChannels] ?? '');
}
