/** One JVM: started in a private folder, watched through its control session, ended for good. */
import { spawn, type ChildProcess } from 'node:child_process';
import { access } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { settledWithin, startTimer } from '@millrace/sdk';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectHost } from '../connection/connect-host';
import type { HostSession } from '../connection/host-session';
import type { HostMap, HostValue } from '../wire/host-value';
import type { Java } from './find-java';
import type { HostJars } from './host-jars';
import { HostLevels } from './host-levels';
import { argumentFile } from './jvm-command';
import { endFailure, type EndReason } from './jvm-end';
import { jvmEnvironment } from './jvm-environment';
import { JvmError, type JvmFailure } from './jvm-errors';
import type { JvmLog } from './jvm-log';
import { JvmOutput } from './jvm-output';
import type { JvmSettings } from './jvm-settings';
import type { JvmKey } from './jvms';
import { createPrivateFolder, type PrivateFolder } from './private-folder';

/** Between looks whether it listens. */
const LOOK_MS = 20;
/** For what it has written before its end. */
const LAST_OUTPUT_MS = 500;
/** For a question that it answers at once unless it is in trouble. */
const ANSWER_MS = 5_000;

export interface JvmProcessOptions {
  readonly key: JvmKey;
  readonly java: Java;
  readonly jars: HostJars;
  readonly settings: JvmSettings;
  /** Of the worker, then of the folder. */
  readonly jvmOptions: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: JvmLog;
  /** How many sessions are open, whenever it changes. */
  onSessions(count: number): void;
  /** That may be quoted in what it writes. */
  connectors(): readonly string[];
  /** Threads of an ended session do not end. */
  onHung(names: readonly string[]): void;
}

export class JvmProcess {
  /** Resolves when it has ended, and its folder is removed. */
  readonly ended: Promise<JvmFailure>;
  private readonly output: JvmOutput;
  private control: HostSession | null = null;
  private reason: EndReason | null = null;
  private failure: JvmFailure | null = null;

  private constructor(
    private readonly options: JvmProcessOptions,
    private readonly folder: PrivateFolder,
    private readonly child: ChildProcess,
  ) {
    this.output = new JvmOutput(options.key.location, options.log, options.connectors);
    this.ended = this.watch();
  }

  /** It can be used once `ready` has resolved. Rejects with JvmError. */
  static async start(options: JvmProcessOptions): Promise<JvmProcess> {
    const { key, java, jars, settings, jvmOptions, env } = options;
    const folder = await createPrivateFolder();
    const { tmp, socketPath } = folder;
    const file = await folder.write(
      'arguments',
      argumentFile({
        ...{ jars, classPath: key.classPath, tmp, socketPath },
        options: jvmOptions,
        heapMb: settings.heapMb,
        ownHeapMb: key.heapMb ?? null,
      }),
    );
    const child = spawn(java.path, [`@${file}`], {
      env: jvmEnvironment(env, settings.environment, tmp),
      stdio: ['pipe', 'pipe', 'pipe'],
      // Ctrl-C in a terminal is for the worker, which stops the tasks first.
      detached: true,
    });
    return new JvmProcess(options, folder, child);
  }

  get pid(): number | null {
    return this.child.pid ?? null;
  }

  get socketPath(): string {
    return this.folder.socketPath;
  }

  /** Null while it runs. */
  get end(): JvmFailure | null {
    return this.failure;
  }

  /** Null: it has no answer in time. */
  async ask(method: string, ...args: readonly HostValue[]): Promise<HostValue> {
    return await settledWithin(this.call(method, ...args), ANSWER_MS, null);
  }

  /** Resolves when it answers, however late. Null: it has ended, or cannot answer. */
  async call(method: string, ...args: readonly HostValue[]): Promise<HostValue> {
    return (await this.control?.call(method, ...args).catch(() => null)) ?? null;
  }

  say(level: 'warn' | 'info' | 'debug', message: string): void {
    this.output.say(level, message);
  }

  /** Ends it: its sessions get the time to stop. Resolves when it has ended. */
  async stop(reason: EndReason, graceMs: number): Promise<void> {
    this.reason ??= reason;
    if (this.failure) return;
    this.control?.call('exit', Math.floor(graceMs * 0.75)).catch(() => undefined);
    // Without a control session that answers, the end of its standard input says the same.
    this.child.stdin?.end();
    if (graceMs > 0) await settledWithin(this.ended, graceMs, null);
    this.kill();
    await this.ended;
  }

  private kill(): void {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL');
  }

  /** Resolves when it listens. Rejects with JvmError when it has ended instead, or has been ended as too late. */
  async ready(): Promise<void> {
    const { settings, key } = this.options;
    let isLate = false;
    const deadline = startTimer(() => (isLate = true), settings.startTimeoutMs);
    try {
      while (!this.failure && !isLate) {
        if (await this.openControl()) return;
        await Promise.race([sleep(LOOK_MS), this.ended]);
      }
    } finally {
      clearTimeout(deadline);
    }
    if (this.failure) throw new JvmError(this.failure);
    const { lines } = this.output;
    await this.stop('closed', 0);
    throw new JvmError({
      code: 'JVM_START_FAILED',
      message: `The JVM of ${key.location} did not answer within ${settings.startTimeoutMs} ms (jvm.start.timeout.ms).`,
      detail: lines === '' ? null : `The last lines of the JVM:\n${lines}`,
      kind: 'restart',
    });
  }

  /** False: it does not listen yet. */
  private async openControl(): Promise<boolean> {
    const { settings, log } = this.options;
    try {
      await access(this.socketPath);
    } catch {
      return false;
    }
    const opening = connectHost(this.socketPath, { kind: 'control', levels: Object.fromEntries(log.levels()) });
    const control = await settledWithin(
      opening.catch(() => null),
      settings.startTimeoutMs,
      null,
    );
    if (!control || this.failure) return false;
    this.listen(control);
    this.control = control;
    return true;
  }

  private listen(control: HostSession): void {
    const { onSessions, onHung, log } = this.options;
    control.handle('log', (lines) => this.output.logged(lines));
    control.handle('sessions', (count) => {
      if (typeof count === 'number') onSessions(count);
    });
    control.handle('hung', (event) => onHung(this.hungThreads(event)));
    const levels = new HostLevels(
      log.levels(),
      (name, level) => void control.call('level', name, level).catch(() => undefined),
    );
    const forget = log.onLevel((namespace, level) => levels.set(namespace, level));
    void control.ended.then(forget);
  }

  /** Names of the threads, which are logged with what they do. */
  private hungThreads(event: HostValue | undefined): string[] {
    const { connector, task, threads } = (event ?? {}) as Partial<Record<string, HostValue>>;
    const found = (Array.isArray(threads) ? (threads as readonly HostValue[]) : []) as readonly HostMap[];
    const names = found.slice(0, 10).map(({ name }) => String(name));
    const folder = this.options.key.location;
    this.options.log.write({
      ...{ level: 'warn', logger: null, folder, quotes: this.options.connectors() },
      connector: typeof connector === 'string' ? connector : null,
      task: typeof task === 'number' ? task : null,
      message: `Threads in the JVM of ${folder} do not end: ${names.join(', ')}. The JVM ends when nothing else runs in it`,
      trace: found
        .slice(0, 10)
        .map(({ name, trace }) => `${String(name)}\n${String(trace)}`)
        .join('\n')
        .slice(0, 8_000),
    });
    return names;
  }

  private async watch(): Promise<JvmFailure> {
    const { child, output } = this;
    // Nothing of it keeps the process of a command alive.
    child.unref();
    for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as Socket | null)?.unref();
    child.stdin?.on('error', () => undefined);
    if (child.stdout) output.read(child.stdout, 'info');
    if (child.stderr) output.read(child.stderr, 'warn');
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const { exitCode, signal, error } = await new Promise<Exit>((resolve) => {
      child.once('exit', (exitCode, signal) => resolve({ exitCode, signal, error: null }));
      child.once('error', (error) => resolve({ exitCode: null, signal: null, error }));
    });
    // A process that it has started may keep them open.
    if (!error) await settledWithin(closed, LAST_OUTPUT_MS, null);
    const isStarting = this.control === null;
    const { reason } = this;
    const folder = this.options.key.location;
    const end = endFailure({ folder, isStarting, exitCode, signal, reason, lines: output.lines });
    this.failure = error
      ? { ...end, code: 'JVM_START_FAILED', message: `The JVM of ${folder} cannot be started: ${error.message}.` }
      : end;
    this.control?.close();
    await this.folder.remove();
    return this.failure;
  }
}

interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly error: Error | null;
}
