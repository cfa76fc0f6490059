/** Asks a JVM now and then how it is: for metrics, for the list of loggers, and whether it still answers. */
import { monotonicNow, startInterval } from '@millrace/sdk';
import type { HostValue } from '../wire/host-value';
import type { JvmLog } from './jvm-log';
import type { JvmProcess } from './jvm-process';
import type { JvmSettings } from './jvm-settings';
import { type MetricSeries, mbeanSeries } from './mbean-series';
import { type ProcessUsage, processUsage } from './process-usage';

const EVERY_MS = 10_000;
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

interface Measured<T> {
  readonly at: number;
  readonly value: T;
}

export class JvmVitals {
  private memoryRead: Measured<JvmMemory> | null = null;
  private usageRead: Measured<ProcessUsage> | null = null;
  private seriesRead: Measured<readonly MetricSeries[]> | null = null;
  private scrapedAt = -Infinity;
  private missed = 0;
  private isReading = false;
  private readonly timer: NodeJS.Timeout;

  /** @param onSilent it has not answered for `silenceMs` */
  constructor(
    private readonly process: Pick<JvmProcess, 'ask' | 'pid'>,
    private readonly settings: Pick<JvmSettings, 'silenceMs' | 'mbeanDomains'>,
    private readonly log: Pick<JvmLog, 'loggers'>,
    private readonly onSilent: () => void,
    private readonly everyMs = EVERY_MS,
  ) {
    this.timer = startInterval(() => void this.round(), everyMs).unref();
    void this.round();
  }

  get memory(): JvmMemory | null {
    return fresh(this.memoryRead);
  }

  get usage(): ProcessUsage | null {
    return fresh(this.usageRead);
  }

  /** How long it has not answered. */
  get silentMs(): number {
    return this.missed * this.everyMs;
  }

  /** Of its MBeans, as they were a little earlier: nobody waits for the JVM. */
  scrape(): readonly MetricSeries[] {
    const isFirst = monotonicNow() - this.scrapedAt > SCRAPED_MS;
    this.scrapedAt = monotonicNow();
    if (isFirst) void this.readBeans();
    return fresh(this.seriesRead) ?? [];
  }

  close(): void {
    clearInterval(this.timer);
  }

  private async round(): Promise<void> {
    if (this.isReading) return;
    this.isReading = true;
    try {
      await this.read();
    } finally {
      this.isReading = false;
    }
  }

  private async read(): Promise<void> {
    const { process, settings } = this;
    const usage = process.pid === null ? null : await processUsage(process.pid);
    if (usage) this.usageRead = { at: monotonicNow(), value: usage };
    const memory = memoryOf(await process.ask('memory'));
    // A pause of the whole machine is one missed answer, however long it was.
    this.missed = memory ? 0 : this.missed + 1;
    if (settings.silenceMs > 0 && this.silentMs >= settings.silenceMs) return this.onSilent();
    if (!memory) return;
    this.memoryRead = { at: monotonicNow(), value: memory };
    await this.listLoggers();
    if (monotonicNow() - this.scrapedAt < SCRAPED_MS) await this.readBeans();
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
