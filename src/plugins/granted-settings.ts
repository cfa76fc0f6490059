/** The worker settings that a plugin may read. Pure. */
import type { WorkerSettings } from '@millrace/sdk';
import type { PluginDescription } from './registry';

/**
 * Only those that its manifest names, because settings contain secrets. Empty settings count as absent.
 */
export function grantedSettings(
  { workerSettings = [] }: Pick<PluginDescription, 'workerSettings'>,
  worker: Readonly<Record<string, string>>,
): WorkerSettings {
  return Object.fromEntries(
    workerSettings.flatMap((name) => {
      const value = Object.hasOwn(worker, name) ? worker[name]?.trim() : undefined;
      return value ? [[name, value]] : [];
    }),
  );
}
