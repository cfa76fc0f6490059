/** Which of the worker's settings a plugin gets to see. Pure. */
import type { WorkerSettings } from '@millrace/sdk';
import type { PluginDescription } from './registry';

/**
 * Those that its manifest names and that the worker has, and no others: settings hold secrets. Empty ones count as
 * absent.
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
