/** Starts, supervises and ends the JVMs of a worker. Runs in the main thread; others ask it over a channel. */
import { randomUUID } from 'node:crypto';
import { settledWithin } from '@millrace/sdk';
import { findJava, type Java } from './find-java';
import { hostJars } from './host-jars';
import { type JvmFigures, JvmRecords, type JvmState } from './jvm-figures';
import { JvmError, type JvmFailure } from './jvm-errors';
import type { JvmLog } from './jvm-log';
import { folderOptions, workerOptions } from './jvm-options';
import { JvmProcess } from './jvm-process';
import type { JvmSettings } from './jvm-settings';
import { GRACE_MS, JvmSlot } from './jvm-slot';
import { JvmVitals } from './jvm-vitals';
import type { JvmKey, Jvms } from './jvms';
import { removeLeftFolders } from './private-folder';
import { SessionOpener } from './session-opener';
import type { Grant, Supervision } from './supervision';
import { SupervisionServer } from './supervision-channel';

/** A connection may be lost before the system tells that its process has ended. */
const CAUSE_MS = 3_000;
/** Shorter silences are pauses of the machine, or of a garbage collection. */
const REPORTED_SILENCE_MS = 30_000;
/** Failures of JVMs that are kept for those who ask later. */
const KEPT_FAILURES = 200;

export interface JvmSupervisorOptions {
  readonly settings: JvmSettings;
  readonly log: JvmLog;
  /** (Default: that of this process) */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where the package's jars are. (Default: in the package) */
  readonly jarsFolder?: string;
}

export class JvmSupervisor implements Supervision {
  /** Name for `connectJvms` in other threads. */
  readonly channel = `millrace-jvms-${randomUUID()}`;
  /** For this thread. */
  readonly jvms: Jvms = new SessionOpener(this);
  private readonly server = new SupervisionServer(this.channel, this);
  private readonly slots = new Map<number, JvmSlot>();
  /** Those that get new sessions, by their keys. */
  private readonly current = new Map<string, JvmSlot>();
  private readonly failures = new Map<number, JvmFailure>();
  private readonly records = new JvmRecords();
  private java: Promise<Java> | null = null;
  private cleaned: Promise<void> | null = null;
  private numbers = 0;
  private isClosed = false;

  constructor(private readonly options: JvmSupervisorOptions) {}

  async grant(key: JvmKey, connector: string | null = null): Promise<Grant> {
    this.check(key);
    const id = JSON.stringify([key.location, key.classPath, key.connector ?? null, key.heapMb ?? null]);
    const slot = this.current.get(id) ?? this.create(id, key);
    const hold = slot.hold();
    slot.serves(connector);
    const { socketPath } = await slot.ready;
    slot.releaseLater(hold);
    return { jvm: slot.options.number, socketPath, hold };
  }

  settled(jvm: number, hold: number): void {
    void this.slots.get(jvm)?.release(hold);
  }

  async cause(jvm: number): Promise<JvmFailure | null> {
    const process = this.slots.get(jvm)?.process;
    if (process) await settledWithin(process.ended, CAUSE_MS, null);
    return this.failures.get(jvm) ?? null;
  }

  /** What is wrong with JVMs, as sentences for the health report. */
  problems(): string[] {
    return [...this.slots.values()].flatMap(({ hung, vitals, options }) => {
      const jvm = `JVM of ${options.key.location}`;
      const silentMs = vitals?.silentMs ?? 0;
      return [
        ...(hung ? [`Threads in the ${jvm} do not end: ${hung.join(', ')}.`] : []),
        ...(silentMs >= REPORTED_SILENCE_MS ? [`The ${jvm} has not answered for ${silentMs / 1000} s.`] : []),
      ];
    });
  }

  /** Without the series of MBeans. */
  states(): JvmState[] {
    return this.records.states();
  }

  figures(): JvmFigures[] {
    return this.records.figures();
  }

  /** JVMs of these locations get no new sessions, and end with their last one. */
  retire(locations: ReadonlySet<string>): void {
    for (const slot of this.slots.values()) if (locations.has(slot.options.key.location)) slot.retire();
  }

  /** Ends all JVMs, also those that do not answer. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all([...this.slots.values()].map(async (slot) => await slot.end('closed', GRACE_MS)));
    this.server.close();
  }

  private check({ location, heapMb }: JvmKey): void {
    const { maxHeapMb } = this.options.settings;
    if (this.isClosed) {
      const message = `The JVM of ${location} is not started, because the worker stops.`;
      throw new JvmError({ code: 'JVM_CLOSED', message, detail: null, kind: 'restart' });
    }
    if (heapMb !== undefined && !(Number.isInteger(heapMb) && heapMb > 0 && heapMb <= maxHeapMb)) {
      const message = `jvm.heap.mb is ${heapMb}, and the worker allows 1 to ${maxHeapMb} (jvm.heap.max.mb).`;
      throw new JvmError({ code: 'JVM_HEAP_LIMIT', message, detail: null, kind: 'config' });
    }
  }

  private create(id: string, key: JvmKey): JvmSlot {
    const { settings } = this.options;
    if (settings.maxJvms !== null && this.slots.size >= settings.maxJvms) {
      const message = `The JVM of ${key.location} is not started, because ${this.slots.size} JVMs run in this worker (jvm.max.count).`;
      throw new JvmError({ code: 'JVM_LIMIT', message, detail: null, kind: 'restart' });
    }
    const slot = new JvmSlot({
      ...{ number: ++this.numbers, id, key, idleMs: settings.idleMs },
      watch: (process, onSilent) => new JvmVitals(process, settings, this.options.log, onSilent),
      start: async (events) => await this.start(key, events),
      onLeaving: (leaving) => {
        if (this.current.get(id) === leaving) this.current.delete(id);
      },
      onEnded: (ended, failure) => this.onEnded(ended, failure),
    });
    this.slots.set(slot.options.number, slot);
    this.current.set(id, slot);
    this.records.started(slot);
    return slot;
  }

  private async start(
    key: JvmKey,
    events: Pick<Parameters<typeof JvmProcess.start>[0], 'onSessions' | 'onHung' | 'connectors'>,
  ): Promise<JvmProcess> {
    const { settings, log, env = process.env, jarsFolder } = this.options;
    this.cleaned ??= removeLeftFolders();
    const java = (this.java ??= findJava({ home: settings.home, env }));
    // It may be installed meanwhile.
    java.catch(() => (this.java = null));
    const [found, jars, ofFolder] = await Promise.all([java, hostJars(jarsFolder), folderOptions(key.location)]);
    const jvmOptions = [...workerOptions(settings.options), ...ofFolder];
    const jvm = await JvmProcess.start({ key, java: found, jars, settings, jvmOptions, env, log, ...events });
    jvm.say('info', `The JVM of ${key.location} starts (Java ${found.version}, process ${jvm.pid})`);
    return jvm;
  }

  private onEnded(slot: JvmSlot, failure: JvmFailure): void {
    const { number } = slot.options;
    this.slots.delete(number);
    this.records.ended(slot, slot.isFault);
    this.failures.set(number, failure);
    for (const first of this.failures.keys()) {
      if (this.failures.size <= KEPT_FAILURES) break;
      this.failures.delete(first);
    }
    slot.process?.say(slot.isFault ? 'warn' : 'info', failure.message);
  }
}
