/** Asks a JVM now and then whether it still answers, how it is, and what loggers and MBeans it has. */
import { monotonicNow, startInterval } from '@millrace/sdk';
import type { HostValue } from '../wire/host-value';
import type { JvmLog } from './jvm-log';
import type { JvmProcess } from './jvm-process';
import type { JvmSettings } from './jvm-settings';
import { type MetricSeries, mbeanSeries } from './mbean-series';
import { type ProcessUsage, processUsage } from './process-usage';

const EVERY_MS = 10_000;
/** For a short `jvm.silence.ms`, of which a look is a quarter. */
const LEAST_EVERY_MS = 250;
/** Older values are not shown. */
const FRESH_MS = 30_000;
/** MBeans are read as long as metrics are scraped, which may happen every minute. */
const SCRAPED_MS = 150_000;

export interface JvmMemory {
  readonly heapUsed: number;
  readonly heapMax: number;
  readonly nonHeapUsed: number;
  readonly threads: number;
  readonly gcMs: number;
}

/** How often to look whether a JVM answers: a silence is found at most a quarter too late. */
export function lookEveryMs(silenceMs: number): number {
  return silenceMs > 0 ? Math.min(Math.max(silenceMs / 4, LEAST_EVERY_MS), EVERY_MS) : EVERY_MS;
}

interface Measured<T> {
  readonly at: number;
  readonly value: T;
}

export class JvmVitals {
  private memoryRead: Measured<JvmMemory> | null = null;
  private usageRead: Measured<ProcessUsage> | null = null;
  private seriesRead: Measured<readonly MetricSeries[]> | null = null;
  private scrapedAt = -Infinity;
  private isUnanswered = false;
  private isAsking = false;
  /** Looks since its last answer, without the one that waits. */
  private missed = 0;
  private isReading = false;
  private readonly timers: readonly NodeJS.Timeout[];

  /** @param onSilent it has not answered for `silenceMs` */
  constructor(
    private readonly process: Pick<JvmProcess, 'ask' | 'call' | 'pid'>,
    private readonly settings: Pick<JvmSettings, 'silenceMs' | 'mbeanDomains'>,
    private readonly log: Pick<JvmLog, 'loggers'>,
    private readonly onSilent: () => void,
    private readonly lookMs = lookEveryMs(settings.silenceMs),
    readMs = EVERY_MS,
  ) {
    this.timers = [
      startInterval(() => this.look(), lookMs).unref(),
      startInterval(() => void this.read(), readMs).unref(),
    ];
    this.look();
    void this.read();
  }

  get memory(): JvmMemory | null {
    return fresh(this.memoryRead);
  }

  get usage(): ProcessUsage | null {
    return fresh(this.usageRead);
  }

  /** How long it has not answered. */
  get silentMs(): number {
    return this.missed * this.lookMs;
  }

  /** Of its MBeans, as they were a little earlier: nobody waits for the JVM. */
  scrape(): readonly MetricSeries[] {
    const isFirst = monotonicNow() - this.scrapedAt > SCRAPED_MS;
    this.scrapedAt = monotonicNow();
    if (isFirst) void this.readBeans();
    return fresh(this.seriesRead) ?? [];
  }

  close(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  private look(): void {
    // A pause of the whole machine is one look without an answer, however long it was.
    if (this.isUnanswered) this.missed++;
    const { silenceMs } = this.settings;
    if (silenceMs > 0 && this.silentMs >= silenceMs) return this.onSilent();
    this.isUnanswered = true;
    if (!this.isAsking) void this.ask();
  }

  /** An answer that comes late is one, too. */
  private async ask(): Promise<void> {
    this.isAsking = true;
    const memory = memoryOf(await this.process.call('memory'));
    this.isAsking = false;
    if (!memory) return;
    this.isUnanswered = false;
    this.missed = 0;
    this.memoryRead = { at: monotonicNow(), value: memory };
  }

  private async read(): Promise<void> {
    if (this.isReading) return;
    this.isReading = true;
    try {
      const { pid } = this.process;
      const usage = pid === null ? null : await processUsage(pid);
      if (usage) this.usageRead = { at: monotonicNow(), value: usage };
      // It would answer nothing else, either.
      if (this.missed > 0) return;
      await this.listLoggers();
      if (monotonicNow() - this.scrapedAt < SCRAPED_MS) await this.readBeans();
    } finally {
      this.isReading = false;
    }
  }

  private async listLoggers(): Promise<void> {
    const names = await this.process.ask('loggers');
    if (Array.isArray(names))
      this.log.loggers((names as readonly HostValue[]).filter((name) => typeof name === 'string'));
  }

  private async readBeans(): Promise<void> {
    const beans = await this.process.ask('mbeans', this.settings.mbeanDomains);
    if (beans !== null) this.seriesRead = { at: monotonicNow(), value: mbeanSeries(beans) };
  }
}

function fresh<T>(measured: Measured<T> | null): T | null {
  return measured && monotonicNow() - measured.at <= FRESH_MS ? measured.value : null;
}

function memoryOf(value: HostValue): JvmMemory | null {
  if (typeof value !== 'object' || value === null) return null;
  const { heapUsed, heapMax, nonHeapUsed, threads, gcMs } = value as Readonly<Record<string, HostValue | undefined>>;
  const number = (one: HostValue | undefined): number => (typeof one === 'number' ? one : NaN);
  return {
    ...{ heapUsed: number(heapUsed), heapMax: number(heapMax), nonHeapUsed: number(nonHeapUsed) },
    ...{ threads: number(threads), gcMs: number(gcMs) },
  };
}
