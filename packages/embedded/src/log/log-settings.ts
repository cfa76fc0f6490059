/** The topic configs that a partition log applies. Durations in milliseconds; Infinity: no limit. */
export interface LogSettings {
  readonly compact: boolean;
  readonly delete: boolean;
  readonly deleteRetentionMs: number;
  readonly logAppendTime: boolean;
  readonly maxCompactionLagMs: number;
  readonly maxMessageBytes: number;
  readonly minCompactionLagMs: number;
  readonly minCleanableDirtyRatio: number;
  readonly minInsyncReplicas: number;
  readonly retentionBytes: number;
  readonly retentionMs: number;
  readonly segmentBytes: number;
  readonly segmentMs: number;
}
