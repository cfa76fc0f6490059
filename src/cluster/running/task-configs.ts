/** From the task configs that a connector generates to those that are stored. Pure. Source: connect-runtime §3.6. */
import { ConfigError, RetriableError, type ConnectorConfig } from '@millrace/sdk';
import { COMMON_KEYS } from '../../config/connector-config';
import { readKey } from '../../config/framework-key';
import { hasPlaceholder } from '../../config/providers/placeholders';
import type { ConnectorTaskId } from '../../connector-task-id';

const COPIED = ['topics', 'topics.regex'];

export interface Generated {
  readonly taskClass: string;
  /** As returned by the plugin. */
  readonly configs: readonly ConnectorConfig[];
  /** The connector's config, without and with placeholders resolved. */
  readonly rawConfig: ConnectorConfig;
  readonly resolvedConfig: ConnectorConfig;
}

/** Completes the generated configs and restores placeholders, so that no secret is stored. */
export function storedTaskConfigs({ taskClass, configs, rawConfig, resolvedConfig }: Generated): ConnectorConfig[] {
  const variables = Object.entries(rawConfig).filter(([, value]) => hasPlaceholder(value));
  return configs.map((generated) => {
    const config: Record<string, string> = { ...generated, 'task.class': taskClass };
    for (const key of COPIED) {
      const value = resolvedConfig[key];
      if (value !== undefined) config[key] = value;
    }
    for (const [key, value] of variables) if (key in config) config[key] = value;
    return config;
  });
}

export function sameConfig(a: ConnectorConfig, b: ConnectorConfig): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

/**
 * True when the set must be written: it differs, or it was generated from a different connector config. The latter
 * matters because compaction drops a commit record that precedes the connector's record.
 */
export function taskConfigsChanged(
  stored: readonly ConnectorConfig[],
  generated: readonly ConnectorConfig[],
  appliedConfig: ConnectorConfig | null,
  currentConfig: ConnectorConfig,
): boolean {
  if (appliedConfig === null || !sameConfig(appliedConfig, currentConfig)) return true;
  return stored.length !== generated.length || stored.some((config, i) => !sameConfig(config, generated[i] ?? {}));
}

export interface TaskLimit {
  readonly max: number;
  readonly enforce: boolean;
}

/** `tasks.max` (1) and `tasks.max.enforce` (true). */
export function taskLimit(config: ConnectorConfig): TaskLimit {
  return { max: readKey(COMMON_KEYS.tasksMax, config), enforce: readKey(COMMON_KEYS.tasksMaxEnforce, config) };
}

/** More tasks than `tasks.max` allows; a retry does not help. */
export class TooManyTasksError extends ConfigError {
  override readonly javaClass = 'org.apache.kafka.connect.runtime.TooManyTasksException';
  constructor(connector: string, generated: number, max: number) {
    super(
      `The connector ${connector} has generated ${generated} tasks, which is greater than ${max}, the maximum number of tasks it is ` +
        `configured to create. This behaviour should be considered a bug and is disallowed. If necessary, it can be permitted by ` +
        `reconfiguring the connector with 'tasks.max.enforce' set to false; however, this option will be removed in a future release ` +
        `of Kafka Connect.`,
      { code: 'TOO_MANY_TASKS', place: { connector } },
    );
  }
}

/** Compaction has removed the config of an assigned task from what this worker can read. It is requested again. */
export class TaskConfigMissingError extends RetriableError {
  constructor({ connector, task }: ConnectorTaskId) {
    super(
      `The config topic has no config of task ${connector}-${task}, which was assigned to this worker: it was compacted ` +
        `after a record of the connector without new task configs. The connector's worker is requested to write them; ` +
        `if the task stays FAILED, stop and resume the connector.`,
      { code: 'TASK_CONFIG_MISSING', place: { connector, task } },
    );
  }
}

/** Per connector: as many as fit in the config topic and in the workers' memory. */
export const MAX_TASKS = 5_000;

/** Regardless of `tasks.max.enforce`, because the workers could not hold them. */
export class TasksBeyondLimitError extends ConfigError {
  constructor(connector: string, max: number) {
    super(
      `The connector ${connector} requests more than ${MAX_TASKS} tasks, the maximum for one connector: ` +
        `its tasks.max is ${max}. Set tasks.max to the number of its topics' partitions or less.`,
      { code: 'TASKS_BEYOND_LIMIT', place: { connector } },
    );
  }
}
