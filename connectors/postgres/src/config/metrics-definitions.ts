/** Definitions of the settings of metrics and of the warnings about the slot. */
import { key, nonNegative } from './definition';

export const METRICS_DEFINITIONS = {
  slotRetainedWalWarnBytes: key(
    'slot.retained.wal.warn.bytes',
    'LONG',
    null,
    'Logs a warning when the server retains this many bytes of WAL for the slot; 0: never. (Default: three quarters of max_slot_wal_keep_size of the server, or 10 GiB if that is unlimited)',
    nonNegative,
  ),
  customMetricTags: key(
    'custom.metric.tags',
    'LIST',
    null,
    'Labels of all metrics of the connector: <name>=<value>,<name>=<value>.',
  ),
  statisticsMetricsEnabled: key(
    'statistics.metrics.enabled',
    'BOOLEAN',
    true,
    'Adds minimum, maximum, average and percentiles of the lag to the metrics.',
  ),
};
