/** Settings of metrics and of the warnings about the slot. */
import type { ConnectorConfig } from '@millrace/sdk';
import { KEY } from './definitions';
import { splitList } from './patterns';
import type { Settings } from './settings';

export interface MetricsConfig {
  /** `custom.metric.tags`: labels of each metric. */
  readonly tags: Readonly<Record<string, string>>;
  /** `statistics.metrics.enabled` */
  readonly statistics: boolean;
  /** Retained WAL to warn from, in bytes; null: derived from the limit of the server; 0: never. */
  readonly warnBytes: number | null;
}

const LABEL = /^[a-zA-Z][a-zA-Z0-9_]*$/;
const TAKEN = ['connector', 'task', 'context', 'plugin', 'name', 'slot', 'table', 'key', 'status'];
const MOST_TAGS = 5;

export function metricsConfig({ get }: Settings, values: ConnectorConfig): MetricsConfig {
  return {
    tags: Object.fromEntries(tags(values)),
    statistics: get('statisticsMetricsEnabled'),
    warnBytes: get('slotRetainedWalWarnBytes'),
  };
}

export function checkMetrics(values: ConnectorConfig, complain: (name: string, message: string) => void): void {
  const given = tags(values);
  const bad = given.find(([name, value]) => !LABEL.test(name) || value === '' || TAKEN.includes(name));
  if (bad !== undefined)
    complain(
      KEY.customMetricTags,
      `"${bad[0]}" is not usable: <name>=<value>,<name>=<value> is expected, with names of letters, digits and underscores other than ${TAKEN.join(', ')}`,
    );
  if (given.length > MOST_TAGS) complain(KEY.customMetricTags, `At most ${MOST_TAGS} tags are possible`);
}

function tags(values: ConnectorConfig): [string, string][] {
  return splitList(values[KEY.customMetricTags] ?? '').map((tag) => {
    const at = tag.indexOf('=');
    return at < 0 ? [tag, ''] : [tag.slice(0, at).trim(), tag.slice(at + 1).trim()];
  });
}
