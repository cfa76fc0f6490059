import { memberLines, type KnownWorkers } from '../../../src/cluster/group/member-lines';

const A = 'http://127.0.0.1:8083/';
const B = 'http://127.0.0.1:8084/';
const all = (...urls: string[]): KnownWorkers => ({ urls: new Set(urls), complete: true });

test('a worker that joins and one that is lost are one line each', () => {
  expect(memberLines(all(A), [A, B], A, 0)).toEqual({
    lines: ['Worker http://127.0.0.1:8084 has joined the group (now 2 workers)'],
    known: all(A, B),
  });
  expect(memberLines(all(A, B), [A], A, 0).lines).toEqual([
    'Worker http://127.0.0.1:8084 has stopped or was lost (1 worker left); the others run its connectors and tasks',
  ]);
  expect(memberLines(all(A, B), [A, B], A, 0).lines).toEqual([]);
});

test('the delay in which a lost worker may return is named', () => {
  expect(memberLines(all(A, B), [A], A, 299_100).lines).toEqual([
    'Worker http://127.0.0.1:8084 has stopped or was lost (1 worker left); the others run its connectors and tasks unless it returns within 300 s',
  ]);
});

test('a worker that has just joined reports nothing, and as a follower it knows only the leader', () => {
  expect(memberLines(null, [A, B], A, 0).lines).toEqual([]);
  const follower = memberLines(null, null, A, 0);
  expect(follower).toEqual({ lines: [], known: { urls: new Set([A]), complete: false } });
  // The leader is lost; the third worker was there before.
  expect(memberLines(follower.known, [B, 'http://c/'], B, 0).lines).toEqual([
    'Worker http://127.0.0.1:8083 has stopped or was lost (2 workers left); the others run its connectors and tasks',
  ]);
});

test('URLs of other members cannot forge a log line', () => {
  const [line] = memberLines(all(A), [A, `http://x\n2026 INFO forged`], A, 0).lines;
  expect(line).toBe('Worker "http://x\\n2026 INFO forged" has joined the group (now 2 workers)');
  expect(memberLines(all(A), [A, `http://${'x'.repeat(9000)}`], A, 0).lines[0]?.length).toBeLessThan(300);
});
