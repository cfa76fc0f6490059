/** Gauges with a common prefix and labels. */
import type { LagUnit, PluginMetrics } from '@millrace/sdk';

export class MetricGroup {
  private readonly added = new Set<string>();

  constructor(
    private readonly metrics: PluginMetrics,
    private readonly prefix: string,
    private readonly labels: Readonly<Record<string, string>>,
  ) {}

  /** @param read called once a second; NaN: unknown */
  gauge(
    name: string,
    help: string,
    read: () => number,
    labels: Readonly<Record<string, string>> = {},
    lag?: LagUnit,
  ): void {
    this.metrics.gauge(`${this.prefix}${name}`, { help, labels: { ...this.labels, ...labels }, lag }, read);
  }

  /** An age in seconds. @param read since when, in milliseconds since the epoch; 0: the age is 0; NaN: unknown */
  age(name: string, help: string, read: () => number, lag?: LagUnit): void {
    this.metrics.gauge(`${this.prefix}${name}`, { help, labels: this.labels, age: true, lag }, read);
  }

  /** For gauges that are added when they have a value; a name and labels known already cost a look-up. */
  gaugeOnce(name: string, help: string, read: () => number, labels: { readonly table: string }): void {
    const key = `${name} ${labels.table}`;
    if (this.added.has(key)) return;
    this.added.add(key);
    this.gauge(name, help, read, labels);
  }
}
