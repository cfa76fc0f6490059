/** Which work may send when, by the clock alone. */
import { CallClock } from '../../src/tasks/call-clock';
import { LogPermission, SessionLease, WorkLease } from '../../src/tasks/session-lease';

const SESSION_MS = 10_000;
const now = (agoMs = 0, wallAgoMs = agoMs): { monotonic: number; wall: number } => ({
  monotonic: performance.now() - agoMs,
  wall: Date.now() - wallAgoMs,
});

function started(): { lease: SessionLease; work: WorkLease } {
  const lease = new SessionLease(SESSION_MS);
  lease.renew(now());
  return { lease, work: WorkLease.from(lease.forWork()) };
}

test('work may send for one session from the time when the last answered heartbeat was sent, not answered', () => {
  const { lease, work } = started();
  expect(work.holds).toBe(true);
  const late = new SessionLease(SESSION_MS);
  late.renew(now(SESSION_MS));
  const asleep = WorkLease.from(late.forWork());
  expect(asleep.holds).toBe(false);
  expect(asleep.check()).toBe('later');
  // The session was not over after all.
  late.renew(now());
  expect(asleep.holds).toBe(true);
  // An older answer that arrives late does not shorten the lease.
  lease.renew(now(SESSION_MS - 1));
  expect(work.holds).toBe(true);
});

test('a single run can lose it at once, without a message to its thread', () => {
  const { lease } = started();
  const clock = new CallClock();
  const work = WorkLease.from(lease.forWork(), new CallClock(clock.memory));
  const other = WorkLease.from(lease.forWork());
  clock.revoke();
  lease.renew(now());
  expect([work.holds, work.check(), other.holds]).toEqual([false, 'later', true]);
});

test('a suspended machine is detected by the wall clock', () => {
  const lease = new SessionLease(SESSION_MS);
  lease.renew(now(0, SESSION_MS));
  expect(WorkLease.from(lease.forWork()).holds).toBe(false);
});

test('work that was started in a lost membership never sends again', () => {
  const { lease, work } = started();
  lease.end();
  expect(work.holds).toBe(false);
  lease.renew(now());
  expect(work.holds).toBe(false);
  expect(WorkLease.from(lease.forWork()).holds).toBe(true);
});

test('a worker that leaves deliberately keeps its work until another worker gets it', () => {
  const { lease, work } = started();
  lease.keepFor(0);
  expect(work.holds).toBe(false);
  lease.keepFor(60_000);
  expect(work.holds).toBe(true);
});

test('a worker that rejoins after it left may send for one session again, not for the time granted for its absence', () => {
  const { lease, work } = started();
  lease.keepFor(300_000);
  // As if the machine had slept for a session since the rejoin.
  lease.renew({ monotonic: performance.now(), wall: Date.now() - SESSION_MS });
  expect(work.holds).toBe(false);
  const rejoined = now();
  lease.renew(rejoined);
  expect(work.holds).toBe(true);
  // Older than the last, however long ago that was.
  lease.renew({ monotonic: rejoined.monotonic - 1, wall: rejoined.wall - SESSION_MS });
  expect(work.holds).toBe(true);
});

test('a heartbeat that was sent before the worker left neither ends nor extends its time, however late its answer', () => {
  const { lease, work } = started();
  const before = { monotonic: performance.now(), wall: Date.now() - SESSION_MS };
  lease.keepFor(300_000);
  lease.renew(before);
  expect(work.holds).toBe(true);
  lease.keepFor(0);
  lease.renew({ ...before, wall: Date.now() });
  expect(work.holds).toBe(false);
});

test('without a lease work may always send', () => {
  expect(WorkLease.from(undefined).check()).toBe('now');
});

describe('storage topics', () => {
  test('may be written before the worker has joined, and during a membership if passed in during it', () => {
    const lease = new SessionLease(SESSION_MS);
    const log = new LogPermission(lease);
    expect(log.check(log.epoch)).toBe('now');
    lease.renew(now(SESSION_MS));
    const epoch = log.epoch;
    expect(log.check(epoch)).toBe('later');
    lease.end();
    expect([log.check(epoch), log.check(log.epoch)]).toEqual(['never', 'never']);
    const between = log.epoch;
    lease.renew(now());
    expect([log.check(epoch), log.check(between), log.check(log.epoch)]).toEqual(['never', 'never', 'now']);
  });

  test('pending writes of a stopped task are dropped, so that they cannot follow those of its next owner', () => {
    const { lease } = started();
    const log = new LogPermission(lease);
    const epoch = log.epoch;
    log.dropUnsent();
    expect([log.check(epoch), log.check(log.epoch)]).toEqual(['never', 'now']);
  });
});
