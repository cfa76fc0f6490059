/** Which plugin runs a connector, and in which JVMs. Pure. */
import type { ConnectorJvm, ConnectorRow, PluginInUse } from '@millrace/console';
import type { PluginDescription } from '../../plugins/registry';
import type { JvmReport, ReadReport } from '../reports/worker-report';

export interface ConnectorRuntime {
  readonly plugin: PluginInUse | null;
  readonly jvms: readonly ConnectorJvm[];
}

/** Shorter silences are pauses of the machine, or of a garbage collection. */
const SILENT_MS = 30_000;
/** States in which a connector or task is not in a JVM, or may not be any more. */
const NOWHERE: ReadonlySet<string> = new Set(['STOPPED', 'UNASSIGNED']);

/**
 * @param chosen what the config chooses on this worker; null: it is not installed
 * @param version of the connector's status: what it was started with. Null: unknown
 */
export function pluginInUse(
  chosen: PluginDescription | null,
  installed: readonly PluginDescription[],
  version: string | null,
): PluginInUse | null {
  if (chosen === null) return null;
  const started =
    version === null || chosen.version === version
      ? chosen
      : installed.find((one) => one.class === chosen.class && one.type === chosen.type && one.version === version);
  if (!started) return { class: chosen.class, version, location: null, runsIn: null };
  return {
    class: started.class,
    version: started.version === 'undefined' ? null : started.version,
    ...{ location: started.location, runsIn: started.java === true ? 'jvm' : 'node' },
  };
}

/** What a worker reported; null: nothing. */
interface Reported {
  readonly id: string;
  readonly report: ReadReport | null;
}

export function jvmsOf(
  row: Pick<ConnectorRow, 'name' | 'state' | 'worker' | 'tasks'>,
  plugin: PluginInUse | null,
  workers: readonly Reported[],
): readonly ConnectorJvm[] {
  const { name } = row;
  if (plugin?.runsIn !== 'jvm') return [];
  const parts = [row, ...row.tasks].filter(({ worker, state }) => worker !== '' && !NOWHERE.has(state));
  return [...new Set(parts.map(({ worker }) => worker))].flatMap((worker) => {
    const all = workers.find(({ id }) => id === worker)?.report?.jvms ?? [];
    const jvm =
      all.find(({ connector }) => connector === name) ??
      all.find(({ folder, connector }) => folder === plugin.location && connector === null);
    if (jvm) return [stateOf(worker, jvm)];
    const isRunning = parts.some((part) => part.worker === worker && part.state !== 'FAILED');
    return isRunning ? [unknownJvm(worker)] : [];
  });
}

function stateOf(worker: string, jvm: JvmReport): ConnectorJvm {
  const { isUp, connector, silentMs } = jvm;
  return {
    worker,
    state: !isUp ? 'starting' : (silentMs ?? 0) >= SILENT_MS ? 'silent' : 'up',
    isOwn: connector !== null,
    ...{ pid: jvm.pid, heapUsed: jvm.heapUsed, heapMax: jvm.heapMax, residentBytes: jvm.residentBytes },
    ...{ restarts: jvm.restarts, hungThreads: jvm.hungThreads },
    silentSeconds: silentMs === null ? null : silentMs / 1000,
  };
}

function unknownJvm(worker: string): ConnectorJvm {
  return {
    ...{ worker, state: 'unknown', isOwn: null, pid: null, heapUsed: null, heapMax: null, residentBytes: null },
    ...{ restarts: null, hungThreads: null, silentSeconds: null },
  };
}
