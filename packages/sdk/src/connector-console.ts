/**
 * What the console shows of a connector beside what it shows of every connector: `console` of `PluginEntry`. A
 * manifest that exceeds a limit or names an unknown figure is invalid.
 */

export interface ConnectorConsole {
  /** Sections on the connector's page, in this order. At most 10. (Default: none) */
  readonly panels?: readonly ConnectorPanel[];
  /** What actions mean for this connector. (Default: the console's general texts) */
  readonly effects?: ActionEffects;
}

/** Texts are one or two sentences each, at most 500 characters. */
export interface ActionEffects {
  /** Added to the question before the connector is stopped. */
  readonly stop?: string;
  readonly restart?: string;
  /** For example what remains in another system. */
  readonly delete?: string;
  /** What removes that; `millrace delete` shows it. (Default: unknown) */
  readonly deleteStatement?: DeleteStatement;
  /**
   * Of a reset of offsets. For sources it replaces "The connector starts as for the first time, and reads its source
   * again from the beginning.", for sinks it is added to what the console says of their topics.
   */
  readonly resetOffsets?: string;
  /** Added to the effect of another offset, for example whether the data before it still exists. */
  readonly changeOffsets?: string;
}

export interface DeleteStatement {
  /**
   * For example SQL, at most 500 characters. `{key:default}` is the value of the connector's config, or the default if
   * it has none. With a value of other characters than letters, digits, `_`, `.` and `-`, the statement is unknown.
   */
  readonly text: string;
  /** It applies only to configs that have these values of these keys, or none. At most 10 keys. (Default: to all) */
  readonly onlyWith?: Readonly<Record<string, string>>;
}

/** A section is shown while one of its figures, or a row of its progress, is known. */
export interface ConnectorPanel {
  /** At most 80 characters. */
  readonly title: string;
  /** By name, at most 50: letters and digits, at most 40. Names are for this panel only. (Default: none) */
  readonly figures?: Readonly<Record<string, PanelFigure>>;
  /**
   * Shown beside the title: the first text that applies and whose figures are known. With states, the panel is shown
   * only while one applies. At most 20. (Default: none)
   */
  readonly states?: readonly PanelText[];
  /** The first one that applies and whose figures are known, above the facts. At most 20. (Default: none) */
  readonly notices?: readonly PanelNotice[];
  /** At most 30. (Default: none) */
  readonly facts?: readonly PanelFact[];
  /** A bar for each value of a label, for example for each table. (Default: none) */
  readonly progress?: PanelProgress;
}

/** One number or text from the metrics that the connector's tasks publish (`context.metrics`). */
export interface PanelFigure {
  /** Name of the metric. */
  readonly metric: string;
  /** Only series with these values of labels. At most 10. (Default: all) */
  readonly labels?: Readonly<Record<string, string>>;
  /** Only series with this value. (Default: all) */
  readonly equals?: number;
  /** The figure is the text of this label of the first series. (Default: it is the value of the metric) */
  readonly label?: string;
  /** Which value counts if there are several, for instance of several tasks. (Default: `largest`) */
  readonly combine?: 'largest' | 'smallest' | 'sum';
  /** (Default: `count`) */
  readonly unit?: FigureUnit;
  /** What a `count` counts, singular and plural: `["table", "tables"]` shows `3 tables`. (Default: the number alone) */
  readonly noun?: Noun;
}

/** `boolean`: 1 is yes, others are no. `hex64`: a position of 64 bits as two hexadecimal halves, `16/B374D848`. */
export type FigureUnit = 'count' | 'bytes' | 'seconds' | 'percent' | 'boolean' | 'hex64';
/** Singular and plural, at most 40 characters each. */
export type Noun = readonly [singular: string, plural: string];

/** By name of a figure: its text or number, or the bounds of its number, excluded. An unknown figure meets none. */
export type PanelCondition = Readonly<
  Record<string, string | number | { readonly above?: number; readonly below?: number }>
>;

export interface PanelText {
  /** All must be met. (Default: it always applies) */
  readonly when?: PanelCondition;
  /** `{name}` is the figure of that name. At most 500 characters. */
  readonly text: string;
}

export interface PanelNotice extends PanelText {
  /** `failed`: does not work; `degraded`: deserves attention. */
  readonly kind: 'failed' | 'degraded';
  /** At most 80 characters. */
  readonly title: string;
}

export interface PanelFact {
  /** At most 80 characters. */
  readonly title: string;
  /** Name of a figure. */
  readonly figure: string;
  /** Text while it is unknown. (Default: a dash) */
  readonly unknown?: string;
}

export interface PanelProgress {
  /** Label whose values are the rows, in the order in which they were published. The first 1,000 are shown. */
  readonly label: string;
  /** Metric with the progress of a row, 0 to 100. */
  readonly percent: string;
  /** Metric with a count of a row, for instance of what was read. (Default: none) */
  readonly count?: string;
  readonly noun?: Noun;
  /** While it is met, rows without `percent` are waiting; otherwise they are done. (Default: always met) */
  readonly while?: PanelCondition;
}
