/** `ssl.*` settings → options for `node:tls`. Source: kafka-client §3. */
import type { ConnectionOptions } from 'node:tls';
import { tlsOptions, type SettingError } from '@millrace/sdk';
import { invalid } from '../client-settings';
import type { ClientConfig } from '../port';

/** Throws what `settingError` creates. (Default: KafkaError INVALID_CLIENT_CONFIG naming the key) */
export function readTlsOptions(config: ClientConfig, settingError: SettingError = invalid): ConnectionOptions {
  return tlsOptions(config, settingError);
}
