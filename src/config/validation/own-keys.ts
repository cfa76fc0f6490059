/** The keys that only Millrace has, checked if a config contains them. */
import { invalidValue } from '../config-parse';
import type { FrameworkKey } from '../framework-key';
import { MILLRACE_KEYS } from '../millrace-keys';
import type { WorkerConfig } from '../worker-config';
import { checkKey, type Entry, type NullableConfig, valueOf } from './entry';

export function ownEntries(config: NullableConfig, worker: Pick<WorkerConfig, 'jvm'>): Entry[] {
  return Object.values(MILLRACE_KEYS)
    .filter(({ name }) => valueOf(config, name) !== undefined)
    .map((key) => checkKey(key === MILLRACE_KEYS.jvmHeapMb ? withLimit(key, worker.jvm.maxHeapMb) : key, config));
}

function withLimit(key: FrameworkKey, max: number): FrameworkKey {
  const reason = `The worker allows ${max} (jvm.heap.max.mb)`;
  const isBeyond = (value: unknown): boolean => typeof value === 'number' && value > max;
  return {
    ...key,
    check: (value, name) => [
      ...(key.check?.(value, name) ?? []),
      ...(isBeyond(value) ? [invalidValue(name, String(value), reason)] : []),
    ],
  };
}
