/** The options of `millrace preview`. */
import type { Invocation } from '@millrace/cli';
import { pluginOptions, type WorkerOptions } from '../../worker/read-config';

export type PreviewFormat = 'table' | 'json' | 'yaml';

export interface PreviewOptions {
  readonly file: string;
  /** Records to show. */
  readonly count: number;
  /** Wait for the first record, ms. */
  readonly timeoutMs: number;
  /** Wait for each further record, ms. */
  readonly idleMs: number;
  /** Number of the task to run. */
  readonly task: number;
  readonly offsetsFile: string | null;
  readonly format: PreviewFormat;
  /** Sources of the worker's settings. */
  readonly worker: WorkerOptions;
}

interface Given {
  readonly count: number;
  readonly timeout: number;
  readonly idle: number;
  readonly task: number;
  readonly offsets?: string;
  readonly output: PreviewFormat;
}

export function previewOptions({ args, options }: Pick<Invocation, 'args' | 'options'>): PreviewOptions {
  const { count, timeout, idle, task, offsets = null, output } = options as unknown as Given;
  return {
    file: args[0] as string,
    count,
    timeoutMs: timeout * 1000,
    idleMs: idle * 1000,
    task,
    offsetsFile: offsets,
    format: output,
    worker: pluginOptions({ options }),
  };
}
