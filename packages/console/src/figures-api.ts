/** Parts of `worker-api.ts`: the panels that plugins declare, the charts of the last hour, and the topology. */

/** A number or text of a panel. Value null: unknown. */
export interface Figure {
  readonly value: number | string | null;
  readonly unit: 'count' | 'bytes' | 'seconds' | 'percent' | 'boolean' | 'hex64';
  readonly noun: Noun | null;
}

/** Singular and plural. */
export type Noun = readonly [string, string];

export type TextPart = string | Figure;

/** A row of a panel's progress. */
export interface PanelRow {
  readonly name: string;
  readonly percent: number | null;
  readonly count: number | null;
}

/** A section of a connector's page that its plugin declares (`console.panels` of its manifest), with its figures. */
export interface Panel {
  readonly title: string;
  readonly state: readonly TextPart[] | null;
  readonly notice: {
    readonly kind: 'failed' | 'degraded';
    readonly title: string;
    readonly text: readonly TextPart[];
  } | null;
  /** `unknown`: text while the figure is unknown; null: a dash. */
  readonly facts: readonly { readonly title: string; readonly figure: Figure; readonly unknown: string | null }[];
  /** `isActive`: rows without a percentage are waiting, not done. */
  readonly progress: {
    readonly noun: Noun | null;
    readonly isActive: boolean;
    readonly rows: readonly PanelRow[];
  } | null;
}

/** Of the last hour, oldest first; null: unknown, for instance while the worker did not run. */
export type HistoryValues = readonly (number | null)[];

interface History {
  readonly at: number;
  /** Time of the newest values. */
  readonly end: number;
  readonly stepMs: number;
  /** Workers that did not answer: their part is missing. */
  readonly missing: readonly string[];
}

/** `GET /ui/api/connectors/:name/history`. Rates per second, and lags of the task that is most behind. */
export interface ConnectorHistory extends History {
  readonly measures: Readonly<Record<'rate' | 'errorRate' | 'lagRecords' | 'lagBytes' | 'lagSeconds', HistoryValues>>;
  /** Amounts in the connector's panels. */
  readonly figures: readonly {
    readonly panel: string;
    readonly title: string;
    readonly unit: Figure['unit'];
    readonly values: HistoryValues;
  }[];
}

/** The topics of one connector. */
export interface TopologyConnector {
  readonly name: string;
  /** `topics.regex` */
  readonly pattern: string | null;
  /** Of a source: topics that its tasks have used. */
  readonly writes: readonly string[];
  /** Of a sink: those in its config, and those that its tasks have read. */
  readonly reads: readonly string[];
  readonly deadLetters: readonly string[];
  /** Topics beyond the bound. */
  readonly omitted: number;
}

/** `GET /ui/api/topology` */
export interface Topology {
  readonly at: number;
  /** False: topic tracking is disabled, so the topics of sources are unknown. */
  readonly tracksTopics: boolean;
  readonly connectors: readonly TopologyConnector[];
  /** Connectors beyond the bound. */
  readonly omitted: number;
}

/** `GET /ui/api/workers/history`. CPU of one core, 1 is all of it. */
export interface WorkersHistory extends History {
  readonly workers: readonly {
    readonly id: string;
    readonly memoryBytes: HistoryValues;
    readonly cpu: HistoryValues;
  }[];
}
