/** Which worker may write which changes of the config topic after a lost membership or a suspension. */
import { ConfigPermission } from '../../../src/cluster/group/config-permission';
import { SuspensionDetector } from '../../../src/cluster/group/suspension-detector';
import { SessionLease } from '../../../src/tasks/session-lease';

const SESSION_MS = 10_000;
const HEARTBEAT_MS = 3_000;
const heard = (agoMs = 0): { monotonic: number; wall: number } => ({
  monotonic: performance.now() - agoMs,
  wall: Date.now() - agoMs,
});

let lease: SessionLease;
let permission: ConfigPermission;
beforeEach(() => {
  jest.useFakeTimers();
  lease = new SessionLease(SESSION_MS);
  permission = new ConfigPermission(lease, { sessionTimeoutMs: SESSION_MS, heartbeatIntervalMs: HEARTBEAT_MS });
});
afterEach(() => jest.useRealTimers());

/** The machine is suspended for this long: only its wall clock advances, and no timer fires. */
const sleep = (ms: number): void => void jest.setSystemTime(Date.now() + ms);

describe('a change that only the leader may decide', () => {
  test('is written while the membership is certain, waits while it may be lost, and is never written once it was lost', () => {
    lease.renew(heard());
    const certain = permission.begin('leader');
    expect(permission.check(certain)).toBe('now');
    sleep(SESSION_MS + 1);
    expect(permission.check(certain)).toBe('later');
    jest.advanceTimersByTime(1);
    lease.renew(heard());
    expect(permission.check(certain)).toBe('now');
    lease.end();
    expect(permission.check(certain)).toBe('never');
  });

  test('does not outlive its membership, although the worker rejoins at once; later decisions are written', () => {
    lease.renew(heard());
    const before = permission.begin('leader');
    lease.end();
    const between = permission.begin('leader');
    lease.renew(heard());
    const after = permission.begin('leader');
    expect([before, between, after].map((epoch) => permission.check(epoch))).toEqual(['never', 'never', 'now']);
  });
});

describe('a change that any worker may decide', () => {
  test('is written before the worker has joined, between two memberships, and after one was lost', () => {
    const first = permission.begin('any');
    expect(permission.check(first)).toBe('now');
    lease.renew(heard());
    const held = permission.begin('any');
    lease.end();
    const between = permission.begin('any');
    expect([first, held, between].map((epoch) => permission.check(epoch))).toEqual(['now', 'now', 'now']);
    lease.renew(heard());
    expect([first, held, between].map((epoch) => permission.check(epoch))).toEqual(['now', 'now', 'now']);
  });

  test('is written after a long time without Kafka, but not after a suspension in which a session may expire', () => {
    const waiting = permission.begin('any');
    jest.advanceTimersByTime(25_000);
    expect(permission.check(waiting)).toBe('now');
    sleep(SESSION_MS - HEARTBEAT_MS + 1);
    const fresh = permission.begin('any');
    expect([waiting, fresh].map((epoch) => permission.check(epoch))).toEqual(['never', 'now']);
    // Also when a timer was there first.
    jest.advanceTimersByTime(SESSION_MS);
    expect([waiting, fresh].map((epoch) => permission.check(epoch))).toEqual(['never', 'now']);
  });
});

test('nothing is sent of a change that has ended, or that belongs to none', () => {
  const epochs = (['leader', 'any'] as const).map((decider) => permission.begin(decider));
  for (const epoch of epochs) permission.end(epoch);
  expect([...epochs, permission.epoch].map((epoch) => permission.check(epoch))).toEqual(['never', 'never', 'never']);
  expect(jest.getTimerCount()).toBe(0);
});

test('a suspended machine is detected by the wall clock, a stopped process by the monotonic one', () => {
  const at = { monotonic: 0, wall: 0 };
  const detectors = [1, 2].map(() => new SuspensionDetector(100, () => ({ ...at })));
  const [suspended, stopped] = detectors as [SuspensionDetector, SuspensionDetector];
  at.wall = 101;
  expect(suspended.wasSuspended).toBe(true);
  at.wall = -1_000;
  at.monotonic = 101;
  expect(stopped.wasSuspended).toBe(true);
  for (const detector of detectors) detector.end();
});
