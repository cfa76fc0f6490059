/**
 * What a rebalance changes for requests between workers: a member with an older protocol turns off their signatures for
 * the whole group. Pure, with Java's texts.
 */
import type { Logger } from '../../logging/logger';
import type { ConnectProtocolName } from './connect-protocol';

/** Names in `connect.protocol`. */
const SETTING: Readonly<Record<ConnectProtocolName, string>> = {
  default: 'eager',
  compatible: 'compatible',
  sessioned: 'sessioned',
};

/** @param alwaysVerifies this worker accepts only signed requests, whatever the group does */
export function logSigningChange(
  before: ConnectProtocolName,
  now: ConnectProtocolName,
  alwaysVerifies: boolean,
  logger: Pick<Logger, 'info' | 'warn'>,
): void {
  if ((before === 'sessioned') === (now === 'sessioned')) return;
  if (now === 'sessioned') {
    logger.info('Internal request validation has been re-enabled');
    return;
  }
  const downgraded = `The protocol used by this Connect cluster has been downgraded from '${SETTING[before]}' to '${SETTING[now]}'`;
  const remedy =
    'This is most likely caused by a new worker joining the cluster with an older protocol specified for the connect.protocol ' +
    "configuration; if this is not intentional, either remove the connect.protocol configuration from that worker's config " +
    "file, or change its value to 'sessioned'.";
  logger.warn(
    alwaysVerifies
      ? `${downgraded}, but because of rest.auth.* this worker still accepts only signed internal requests: that worker cannot publish task configs. ${remedy}`
      : `${downgraded} and internal request validation is now disabled. ${remedy} If this configuration is left as-is, the cluster will be insecure: anyone who can connect may publish task configs`,
  );
}
