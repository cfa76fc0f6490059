/**
 * Requests the task configs of a connector from the worker that runs it, by a restart of the connector: each worker of
 * the group, Java's too, reads that from the config topic.
 */
import { messageOf } from '@millrace/sdk';
import { about } from '../../logging/line-subject';
import type { Logger } from '../../logging/logger';
import type { ConfigStore } from '../../storage/config/config-store';
import { automatically } from '../../storage/log/cause';

const CAUSE = automatically('its task configs are missing in the config topic');

/** The returned function requests them once at a time. A failure is logged: the task's next start requests again. */
export function taskConfigRequests(
  configs: Pick<ConfigStore, 'requestTaskConfigs'>,
  logger: Logger,
): (connector: string) => void {
  const requested = new Set<string>();
  return (connector) => {
    if (requested.has(connector)) return;
    requested.add(connector);
    const subject = about({ connector });
    logger.warn(`The config topic has no task configs of connector ${connector}; restarting the connector`, subject);
    void configs
      .requestTaskConfigs(connector, CAUSE)
      .catch((error: unknown) =>
        logger.error(`Cannot request the task configs of connector ${connector}: ${messageOf(error)}`, subject),
      )
      .finally(() => requested.delete(connector));
  };
}
