/** Checks what other methods of plugins returned, for the runtime and the test kit. Each throws a ConnectError. */
import type { CheckedValue, ConfigProblem, ConfigWarning, ConnectorConfig } from '../config-def';
import type { Connector, ConnectorInstance } from '../connector';
import type { SourceOffset, SourcePartition, TopicPartitionOffset } from '../record';
import type { SinkTask, SourceTask } from '../task';
import { type ConsumedPut, isProcessingFailure, type ProcessedSinkRecord, type TakenProcessing } from '../processing';
import { offsetFault } from './offset-fault';
import { actualKind, isPlainObject, isThenable, pluginFault } from './plugin-fault';

const TASK_METHODS = { source: ['start', 'poll', 'stop'], sink: ['start', 'put', 'stop'] } as const;

/** The task that `createTask` returned. Throws `CREATE_TASK_RESULT`. */
export function checkTask<T extends SourceTask | SinkTask>(type: Connector['type'], task: T, owner: string): T {
  const methods = TASK_METHODS[type];
  const missing = isObject(task) ? methods.find((name) => typeof (task as never)[name] !== 'function') : null;
  if (missing === undefined) return task;
  const problem = missing === null ? actualKind(task) : `an object without the method ${missing}()`;
  throw pluginFault(
    { code: 'CREATE_TASK_RESULT' },
    `createTask() of ${owner}`,
    `returned ${problem}: expected a ${type} task, with the methods ${methods.join(', ')}`,
  );
}

/** The instance that `create` of a connector returned. Throws `CREATE_RESULT`. */
export function checkInstance(instance: ConnectorInstance, owner: string): ConnectorInstance {
  if (isObject(instance) && typeof instance.taskConfigs === 'function') return instance;
  const problem = isObject(instance) ? 'an object without the method taskConfigs()' : actualKind(instance);
  throw pluginFault(
    { code: 'CREATE_RESULT' },
    `create() of ${owner}`,
    `returned ${problem}: expected an instance, with the method taskConfigs`,
  );
}

export const TASK_CONFIGS_RESULT = 'TASK_CONFIGS_RESULT';

/** What `taskConfigs` returned. Throws `TASK_CONFIGS_RESULT`. */
export function checkTaskConfigs(configs: unknown, owner: string): readonly ConnectorConfig[] {
  const fail = (problem: string): never => {
    throw pluginFault({ code: 'TASK_CONFIGS_RESULT' }, `taskConfigs() of ${owner}`, `returned ${problem}`);
  };
  if (!Array.isArray(configs)) return fail(`${actualKind(configs)}: expected an array with a config per task`);
  for (const [task, config] of configs.entries()) {
    if (!isPlainObject(config))
      fail(`${actualKind(config)} as the config of task ${task}: expected an object of strings`);
    for (const [key, value] of Object.entries(config as object))
      // JSON leaves out undefined members.
      if (typeof value !== 'string' && value !== undefined)
        fail(`${actualKind(value)} as "${key}" in the config of task ${task}: expected a string`);
  }
  return configs as readonly ConnectorConfig[];
}

/** What `validate` of a connector returned; null and undefined: no problems. Throws `VALIDATE_RESULT`. */
export function checkProblems(problems: unknown, owner: string, method = 'validate'): readonly ConfigProblem[] {
  const fail = (problem: string): never => {
    throw pluginFault({ code: 'VALIDATE_RESULT' }, `${method}() of ${owner}`, `returned ${problem}`);
  };
  if (problems === null || problems === undefined) return [];
  if (!Array.isArray(problems)) return fail(`${actualKind(problems)}: expected an array of { key, message }`);
  for (const [i, problem] of problems.entries()) {
    const { key, message } = isPlainObject(problem) ? problem : ({} as Record<string, unknown>);
    if (typeof key !== 'string' || typeof message !== 'string')
      fail(`${actualKind(problem)} at position ${i}: expected { key, message }, both strings`);
  }
  return problems as readonly ConfigProblem[];
}

/** What `checkValues` returned. Throws `VALIDATE_RESULT`. */
export function checkCheckedValues(values: unknown, owner: string): readonly CheckedValue[] {
  const fail = (problem: string): never => {
    throw pluginFault({ code: 'VALIDATE_RESULT' }, `checkValues() of ${owner}`, `returned ${problem}`);
  };
  if (!Array.isArray(values)) return fail(`${actualKind(values)}: expected an array of values`);
  for (const [i, checked] of values.entries()) if (!isCheckedValue(checked)) fail(`an invalid value at position ${i}`);
  return values as readonly CheckedValue[];
}

function isCheckedValue(checked: unknown): boolean {
  if (!isPlainObject(checked)) return false;
  const { name, value, recommended, errors, visible } = checked;
  if (typeof name !== 'string' || typeof visible !== 'boolean') return false;
  if (value !== null && typeof value !== 'string') return false;
  return [recommended, errors].every((list) => Array.isArray(list) && list.every((text) => typeof text === 'string'));
}

/** What `warnings` returned. Throws `VALIDATE_RESULT`. */
export function checkWarnings(warnings: unknown, owner: string): readonly ConfigWarning[] {
  return checkProblems(warnings, owner, 'warnings').map((warning) => {
    const { key, message, meant, replaced } = warning as Partial<ConfigWarning> & ConfigProblem;
    const isKey = typeof meant === 'string';
    return { key, message, meant: isKey ? meant : null, ...(isKey && replaced === true && { replaced }) };
  });
}

/** What `takeProcessing` returned for a chain of so many steps. Throws `TAKE_PROCESSING_RESULT`. */
export function checkTaken(taken: unknown, steps: number, owner: string): TakenProcessing {
  const fail = (problem: string): never => {
    throw pluginFault({ code: 'TAKE_PROCESSING_RESULT' }, `takeProcessing() of ${owner}`, `returned ${problem}`);
  };
  if (!isPlainObject(taken)) return fail(`${actualKind(taken)}: expected { steps, converters }`);
  const { steps: count, converters } = taken;
  if (!Number.isInteger(count) || (count as number) < 0 || (count as number) > steps)
    return fail(
      `${typeof count === 'number' ? count : actualKind(count)} as the number of steps: expected 0 to ${steps}`,
    );
  if (typeof converters !== 'boolean') return fail(`${actualKind(converters)} as "converters": expected a boolean`);
  if (converters && count !== steps) return fail(`the converters without all ${steps} steps`);
  return { steps: count as number, converters };
}

/** What `process` of a sink task returned for so many records. Throws `PROCESS_RESULT`. */
export function checkProcessed(results: unknown, count: number, owner: string): readonly ProcessedSinkRecord[] {
  const fail = (problem: string): never => {
    throw pluginFault({ code: 'PROCESS_RESULT' }, `process() of ${owner}`, `returned ${problem}`);
  };
  if (!Array.isArray(results)) return fail(`${actualKind(results)}: expected a result for each record`);
  if (results.length !== count) return fail(`${results.length} results for ${count} records`);
  for (const [i, result] of results.entries())
    if (!isProcessedSinkRecord(result))
      fail(`${actualKind(result)} for record ${i}: expected a record, null or a ProcessingFailure`);
  return results as readonly ProcessedSinkRecord[];
}

function isProcessedSinkRecord(result: unknown): boolean {
  return result === null || isProcessingFailure(result) || (isPlainObject(result) && typeof result.topic === 'string');
}

/** What `putConsumed` returned for so many records, of which it leaves so many at most. Throws `PROCESS_RESULT`. */
export function checkConsumedPut(put: unknown, count: number, most: number, owner: string): ConsumedPut {
  const fail = (problem: string): never => {
    throw pluginFault({ code: 'PROCESS_RESULT' }, `putConsumed() of ${owner}`, `returned ${problem}`);
  };
  if (!isPlainObject(put)) return fail(`${actualKind(put)}: expected { taken, left, error, puts }`);
  const { taken, left, puts } = put as { taken: number; left: number; puts: unknown };
  const check = (name: string, value: unknown, to: number): void => {
    if (!(Number.isInteger(value) && (value as number) >= 0 && (value as number) <= to))
      fail(`${typeof value === 'number' ? value : actualKind(value)} as "${name}": expected 0 to ${to}`);
  };
  check('taken', taken, count);
  check('left', left, Math.min(count - taken, most));
  if (!Array.isArray(puts)) return fail(`${actualKind(puts)} as "puts": expected an array of { records, ms }`);
  for (const one of puts) {
    const { records, ms } = isPlainObject(one) ? one : ({} as Record<string, unknown>);
    check('records', records, taken);
    if (!((ms as number) >= 0 && (ms as number) < Infinity)) fail('no time in milliseconds as "ms"');
  }
  return put as unknown as ConsumedPut;
}

/** What `preCommit` returned. Throws `PRE_COMMIT_RESULT`. */
export function checkPreCommit(offsets: unknown, owner: string): readonly TopicPartitionOffset[] {
  const fail = (problem: string): never => {
    throw pluginFault({ code: 'PRE_COMMIT_RESULT' }, `preCommit() of ${owner}`, `returned ${problem}`);
  };
  if (!Array.isArray(offsets))
    return fail(
      `${actualKind(offsets)}: expected an array of { topic, partition, offset }, which is empty to commit nothing`,
    );
  for (const [i, entry] of offsets.entries()) {
    if (!isPlainObject(entry)) fail(`${actualKind(entry)} at position ${i}: expected { topic, partition, offset }`);
    const { topic, partition, offset } = entry as Record<string, unknown>;
    if (typeof topic !== 'string') fail(`${actualKind(topic)} as topic at position ${i}: expected a string`);
    for (const [name, value] of Object.entries({ partition, offset }))
      if (!(Number.isSafeInteger(value) && (value as number) >= 0))
        fail(
          `${typeof value === 'number' ? value : actualKind(value)} as ${name} at position ${i}: expected a whole number of 0 or more`,
        );
  }
  return offsets as readonly TopicPartitionOffset[];
}

/** What is passed to `context.storeOffset`. Throws `OFFSET_NOT_PRIMITIVE`. */
export function checkStoredOffset(partition: SourcePartition, offset: SourceOffset | null, owner: string): void {
  const found = offsetFault(partition, 'the source partition') ?? offsetFault(offset, 'the source offset');
  if (found)
    throw pluginFault(
      { code: found.code },
      `context.storeOffset() in ${owner}`,
      `was called with an invalid offset: ${found.reason}`,
    );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isThenable(value);
}
