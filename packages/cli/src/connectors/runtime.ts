/** What runs a connector, as the health of Millrace's workers has it. */
import { textOf } from '../rest/reply';
import type { RunsIn } from './plugins';

export interface PluginInUse {
  readonly class: string;
  /** Empty: unknown, as the following. */
  readonly version: string;
  readonly location: string;
  /** Null: unknown. */
  readonly runsIn: RunsIn | null;
}

/** Null: unknown. */
export interface ConnectorJvm {
  readonly worker: string;
  /** `up`, `starting`, `silent` or `unknown`. */
  readonly state: string;
  readonly own: boolean | null;
  readonly pid: number | null;
  readonly heapUsedBytes: number | null;
  readonly heapMaxBytes: number | null;
  readonly memoryBytes: number | null;
  readonly restarts: number | null;
  readonly hungThreads: number | null;
  readonly silentSeconds: number | null;
}

export interface ConnectorRuntime {
  /** Null: unknown. */
  readonly plugin: PluginInUse | null;
  readonly jvms: readonly ConnectorJvm[];
}

type Members = Readonly<Record<string, unknown>>;

/** Of an answer of `GET /connectors/NAME/health`; what has another form is left out. */
export function runtimeOf(health: unknown): ConnectorRuntime {
  const { plugin, jvms } = members(health);
  return {
    plugin: pluginOf(members(plugin)),
    jvms: (Array.isArray(jvms) ? jvms : []).flatMap((one) => jvmOf(members(one))),
  };
}

function pluginOf({ class: name, version, location, runs_in: runsIn }: Members): PluginInUse | null {
  if (typeof name !== 'string') return null;
  return {
    ...{ class: name, version: textOf(version), location: textOf(location) },
    runsIn: runsIn === 'jvm' || runsIn === 'node' ? runsIn : null,
  };
}

function jvmOf(jvm: Members): ConnectorJvm[] {
  if (typeof jvm.worker_id !== 'string' || typeof jvm.state !== 'string') return [];
  return [
    {
      worker: jvm.worker_id,
      state: jvm.state,
      own: typeof jvm.own === 'boolean' ? jvm.own : null,
      pid: numberOf(jvm.pid),
      ...{ heapUsedBytes: numberOf(jvm.heap_used_bytes), heapMaxBytes: numberOf(jvm.heap_max_bytes) },
      ...{ memoryBytes: numberOf(jvm.memory_bytes), restarts: numberOf(jvm.restarts) },
      ...{ hungThreads: numberOf(jvm.hung_threads), silentSeconds: numberOf(jvm.silent_seconds) },
    },
  ];
}

function members(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

export function pluginInUseText({ class: name, version, location, runsIn }: PluginInUse): string {
  const place = runsIn === null ? '' : runsIn === 'jvm' ? 'in a JVM' : 'in Node.js';
  return [`${name} ${version}`.trim(), place, location].filter((text) => text !== '').join(', ');
}

const mib = (bytes: number): string => String(Math.round(bytes / 1024 / 1024));

export function jvmText(jvm: ConnectorJvm): string {
  const { worker, state, own, pid, heapUsedBytes: used, heapMaxBytes: limit, memoryBytes } = jvm;
  const { restarts, hungThreads, silentSeconds } = jvm;
  const facts = [
    state === 'silent' ? `has not answered for ${silentSeconds ?? 'some'} s` : state,
    pid !== null && `process ${pid}`,
    own !== null && (own ? 'of this connector alone' : 'of its folder'),
    used !== null && limit !== null && `heap ${mib(used)} of ${mib(limit)} MiB`,
    memoryBytes !== null && `${mib(memoryBytes)} MiB in all`,
    restarts !== null && restarts > 0 && `${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`,
    hungThreads !== null &&
      hungThreads > 0 &&
      `${hungThreads} ${hungThreads === 1 ? 'thread does' : 'threads do'} not end`,
  ];
  return `${worker}: ${facts.filter((fact) => fact !== false).join(', ')}`;
}
