/**
 * What lies between a task and Kafka, and how much of it the task does itself: see `takeProcessing` of the SDK. The
 * runtime does the rest.
 */
import {
  checkTaken,
  messageOf,
  type ProcessingStep,
  type RecordProcessing,
  type SinkTask,
  type SourceTask,
  type TakenProcessing,
} from '@millrace/sdk';
import type { TransformationChain } from '../transforms/chain';
import type { CallClock } from './call-clock';
import type { TaskSpec } from './host';
import { releaseOnce } from './release-once';
import { closeConverters, effectiveConverter, taskConverters, type TaskConverters } from './task-converters';
import type { TaskEnvironment } from './task-environment';
import { closeTransforms, configuredSteps, taskTransforms } from './task-transforms';
import type { Logger } from '../logging/logger';

const NOTHING: TakenProcessing = Object.freeze({ steps: 0, converters: false });

export interface ProcessingOptions {
  readonly spec: Pick<TaskSpec, 'id' | 'type' | 'connectorClass' | 'connectorConfig' | 'taskConfig'>;
  readonly environment: Pick<TaskEnvironment, 'config' | 'registry'>;
  readonly calls: Pick<CallClock, 'during'>;
  /** The task's. */
  readonly logger: Logger;
}

/** What is left for the runtime. */
export interface TaskProcessing {
  readonly taken: TakenProcessing;
  /** Null: the task has taken them. */
  readonly converters: TaskConverters | null;
  /** Of the steps that the task has not taken; null: none are left. */
  readonly chain: TransformationChain | null;
  /** Closes converters and transformations, and logs their errors. */
  close(): void;
}

/** Throws ConfigError, and what the task throws. */
async function taskProcessing(
  task: Pick<SourceTask | SinkTask, 'takeProcessing'>,
  { spec, environment, calls, logger }: ProcessingOptions,
): Promise<TaskProcessing> {
  const { connectorConfig, taskConfig, id } = spec;
  const { config, registry } = environment;
  const steps = configuredSteps(connectorConfig);
  let taken = NOTHING;
  if (task.takeProcessing) {
    const converter = (part: 'key' | 'value' | 'header') => {
      const { name, settings } = effectiveConverter(part, connectorConfig, config);
      return { name, settings };
    };
    const processing: RecordProcessing = {
      steps,
      key: converter('key'),
      value: converter('value'),
      header: converter('header'),
    };
    const of = { connector: id.connector, task: id.task, config: taskConfig, connectorConfig };
    const result = await calls.during('takeProcessing', () => task.takeProcessing?.(processing, of));
    taken = checkTaken(result, steps.length, spec.connectorClass);
  }
  const converters = taken.converters ? null : await taskConverters(connectorConfig, config, registry, id);
  let chain: TransformationChain | null = null;
  const close = (): void => {
    if (chain) closeTransforms(chain, logger);
    for (const error of converters ? closeConverters(converters) : [])
      logger.warn(`Ignoring an error while closing a converter: ${messageOf(error)}`, { error });
  };
  try {
    chain = await taskTransforms(left(steps, taken.steps, spec.type), { registry, logger, owner: id });
  } catch (error) {
    close();
    throw error;
  }
  return { taken, converters, chain, close };
}

/**
 * What `create` makes of a plugin's task. If it fails, the task is released and what was configured for it is closed.
 * @param cancellation of the task
 */
export async function withProcessing<T extends SourceTask | SinkTask, R>(
  task: T,
  options: ProcessingOptions & { readonly cancellation: AbortSignal },
  create: (processing: TaskProcessing, release: () => void) => R,
): Promise<R> {
  const release = releaseOnce(task, options.cancellation, options.logger);
  try {
    const processing = await taskProcessing(task, options);
    try {
      return create(processing, release);
    } catch (error) {
      processing.close();
      throw error;
    }
  } catch (error) {
    release();
    throw error;
  }
}

/** A source's task has taken the first ones, a sink's the last ones. */
function left(steps: readonly ProcessingStep[], taken: number, type: TaskSpec['type']): readonly ProcessingStep[] {
  return type === 'source' ? steps.slice(taken) : steps.slice(0, steps.length - taken);
}
