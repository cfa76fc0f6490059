import { decideRestart, NO_HISTORY, restartDelay, restartNote } from '../../../src/cluster/running/restart-policy';
import { restartSettings } from '../../../src/config/millrace-keys';
import { readSettings } from '../../../src/config/setting';
import { SettingProblems } from '../../../src/config/setting-problems';
import { WORKER_SETTINGS } from '../../../src/config/worker-settings';

const settings = { max: 3, backoffMs: 1_000, maxBackoffMs: 60_000 };
const now = Date.UTC(2026, 0, 1);
const decide = (given: Partial<Parameters<typeof decideRestart>[0]> = {}): ReturnType<typeof decideRestart> =>
  decideRestart({ settings, history: NO_HISTORY, worthRestarting: true, now, random: 0, ...given });

describe('automatic restarts: the decision', () => {
  test('backoff doubles up to the cap, and its upper half is random', () => {
    const whole = Array.from({ length: 8 }, (_, restarts) => restartDelay(settings, restarts, 1));
    expect(whole).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect(restartDelay(settings, 0, 0)).toBe(500);
    expect(restartDelay(settings, 20, 0)).toBe(30_000);
    expect(restartDelay(settings, 5_000, 0.5)).toBe(45_000);
  });

  test('the first failure, and the limit', () => {
    expect(decide()).toEqual({ type: 'restart', attempt: 1, delayMs: 500 });
    expect(decide({ history: { restarts: 2, runningSince: now - 10 } })).toMatchObject({ attempt: 3, delayMs: 2_000 });
    expect(decide({ history: { restarts: 3, runningSince: now - 10 } })).toEqual({ type: 'exhausted', restarts: 3 });
    expect(decide({ history: { restarts: 3, runningSince: null } })).toEqual({ type: 'exhausted', restarts: 3 });
  });

  test('errors.restart.max=-1 has no limit, 0 is Java’s behavior', () => {
    const history = { restarts: 1_000_000, runningSince: null };
    expect(decide({ history, settings: { ...settings, max: -1 } })).toMatchObject({ type: 'restart', delayMs: 30_000 });
    expect(decide({ settings: { ...settings, max: 0 } })).toEqual({ type: 'off' });
    expect(decide({ settings: { ...settings, max: 0 }, worthRestarting: false })).toEqual({ type: 'off' });
  });

  test('a wrong setting or a rejected login is final at once', () => {
    expect(decide({ worthRestarting: false })).toEqual({ type: 'final' });
  });

  test('a run longer than the maximum backoff resets the count', () => {
    const ran = (ms: number) => decide({ history: { restarts: 3, runningSince: now - ms } });
    expect(ran(59_999)).toMatchObject({ type: 'exhausted' });
    expect(ran(60_000)).toEqual({ type: 'restart', attempt: 1, delayMs: 500 });
  });

  test('the line for the trace', () => {
    const note = (decision: ReturnType<typeof decideRestart>, max = 3) =>
      restartNote(decision, { ...settings, max }, now);
    const restart = { type: 'restart', attempt: 2, delayMs: 1_500 } as const;
    expect(note(restart)).toBe('Automatic restart 2 of 3 is due at 2026-01-01T00:00:01.500Z.\n');
    expect(note(restart, -1)).toBe('Automatic restart 2 is due at 2026-01-01T00:00:01.500Z.\n');
    expect(note({ type: 'off' })).toBe('');
    expect(note({ type: 'final' })).toMatch(/^Not restarted automatically: .*\n$/);
    expect(note({ type: 'exhausted', restarts: 3 })).toMatch(/after 3 restarts \(errors\.restart\.max\).*\n$/);
  });

  test('the connector’s keys override the worker’s; an invalid number counts as not set', () => {
    const defaults = readSettings(WORKER_SETTINGS.restart, {}, new SettingProblems());
    expect(restartSettings({}, defaults)).toEqual({ max: 20, backoffMs: 1_000, maxBackoffMs: 300_000 });
    const given = { 'errors.restart.max': ' -1 ', 'errors.restart.backoff.ms': '5' };
    expect(restartSettings(given, settings)).toEqual({ max: -1, backoffMs: 5, maxBackoffMs: 60_000 });
    const wrong = {
      'errors.restart.max': '-2',
      'errors.restart.backoff.ms': '0',
      'errors.restart.backoff.max.ms': '${file:/p:k}',
    };
    expect(restartSettings(wrong, settings)).toEqual(settings);
  });
});
