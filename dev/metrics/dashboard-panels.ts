/** Panels of the dashboard, and the queries of their series. */

export type Unit = 'short' | 's' | 'ms' | 'bytes' | 'Bps' | 'percentunit' | 'ops' | 'none';

export interface Query {
  readonly expr: string;
  readonly legend: string;
}

export interface Panel {
  readonly title: string;
  readonly unit: Unit;
  readonly queries: readonly Query[];
  readonly kind?: 'timeseries' | 'stat';
  readonly alert?: Alert;
}

/** The rule of alerts.yaml about the panel's figures: its limit is drawn, and the panel leads to its section. */
export interface Alert {
  readonly name: string;
  /** From this value on the figure is wrong; with `below`, under it. */
  readonly limit: number;
  readonly below?: true;
  readonly severity: 'warning' | 'critical';
}

export const query = (expr: string, legend: string): Query => ({ expr, legend });
export const graph = (title: string, unit: Unit, ...queries: Query[]): Panel => ({ title, unit, queries });
export const stat = (title: string, unit: Unit, expr: string): Panel => ({
  ...{ title, unit, kind: 'stat' },
  queries: [query(expr, '')],
});

export const warning = (name: string, limit: number): Alert => ({ name, limit, severity: 'warning' });
export const critical = (name: string, limit: number): Alert => ({ name, limit, severity: 'critical' });
export const about = (alert: Alert, panel: Panel): Panel => ({ ...panel, alert });

/** Of the chosen workers, and of the chosen connectors; without a choice, also of the worker's own clients. */
export const WORKER = 'job=~"$job",instance=~"$instance"';
export const CONNECTOR = `${WORKER},connector=~"$connector"`;
export const TASK = '{{connector}}-{{task}}';

export const connect = (name: string, labels = WORKER): string => `kafka_connect_${name}{${labels}}`;
export const producer = (name: string): string => `kafka_producer_producer_metrics_${name}{${CONNECTOR}}`;
export const consumer = (name: string): string => `kafka_consumer_consumer_${name}{${CONNECTOR}}`;
export const perSecond = (series: string): string => `rate(${series}[$__rate_interval])`;

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}
