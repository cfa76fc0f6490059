/**
 * Refuses unsupported settings before a task starts. A config stored by a Java worker was never validated here, or with
 * other worker settings. Running it without a setting it needs would lose or repeat data.
 */
import { ConfigError, type ConnectorConfig } from '@millrace/sdk';
import { overridePolicy, refusedOverrides } from '../config/validation/client-overrides';
import type { WorkerConfig } from '../config/worker-config';

/** Throws ConfigError EXACTLY_ONCE_UNSUPPORTED or CLIENT_OVERRIDE_REFUSED. */
export function refuseUnsupported(
  type: 'source' | 'sink',
  config: ConnectorConfig,
  worker: OverridePolicySettings,
  isExactlyOnce = false,
): void {
  refuseOverrides(type, config, worker, isExactlyOnce);
  if (type === 'sink' || isExactlyOnce) return;
  if (config['exactly.once.support']?.trim().toLowerCase() === 'required') {
    throw new ConfigError(
      'This worker delivers at least once: set exactly.once.source.support=enabled on all workers, or "exactly.once.support" of the connector to "requested".',
      { code: 'EXACTLY_ONCE_UNSUPPORTED' },
    );
  }
}

export type OverridePolicySettings = Pick<WorkerConfig, 'clientOverridePolicy' | 'clientOverrideAllowlist'>;

/** The policy of the worker that runs the task applies, not that of the worker that accepted the config. */
function refuseOverrides(
  type: 'source' | 'sink',
  config: ConnectorConfig,
  worker: OverridePolicySettings,
  isExactlyOnce: boolean,
): void {
  const policy = overridePolicy(worker.clientOverridePolicy, worker.clientOverrideAllowlist);
  const refused = policy ? refusedOverrides(type, config, policy, isExactlyOnce) : [];
  if (refused.length > 0) throw new ConfigError(refused.join(' '), { code: 'CLIENT_OVERRIDE_REFUSED' });
}
