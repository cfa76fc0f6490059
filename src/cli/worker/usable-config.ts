/** The valid ones of settings that cannot be used as a whole. Pure. */
import { keyOf, SettingProblems } from '../../config/setting-problems';
import { parseWorkerConfig, type WorkerConfig } from '../../config/worker-config';
import { DEV_DEFAULTS } from './dev-defaults';

/** With defaults in place of settings that are rejected. */
export function usableConfig(settings: Readonly<Record<string, string>>): WorkerConfig {
  const usable = new Map(Object.entries({ ...DEV_DEFAULTS, ...settings }));
  for (;;) {
    const problems = new SettingProblems();
    const config = problems.attempt(() => parseWorkerConfig(Object.fromEntries(usable)));
    if (config !== undefined) return config;
    const removed = problems.all.map((problem) => {
      const key = keyOf(problem) ?? '';
      const preset = DEV_DEFAULTS[key];
      if (preset !== undefined && usable.get(key) !== preset) return Boolean(usable.set(key, preset));
      return usable.delete(key);
    });
    if (!removed.some(Boolean)) return parseWorkerConfig(DEV_DEFAULTS);
  }
}
