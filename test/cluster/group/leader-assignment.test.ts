import { decodeAssignment, type Assignment, type MemberMetadata } from '../../../src/cluster/group/connect-protocol';
import { LeaderAssignment, type LeaderInput } from '../../../src/cluster/group/leader-assignment';
import type { ConfigSnapshot } from '../../../src/storage/config/config-snapshot';
import { ConfigState } from '../../../src/storage/config/config-state';

/** A snapshot with one connector and one task, at the given config offset. */
function snapshot(offset: number): ConfigSnapshot {
  const state = new ConfigState();
  const records = [
    ['connector-c', '{"properties":{}}'],
    ['task-c-0', '{"properties":{}}'],
    ['commit-c', '{"tasks":1}'],
  ] as const;
  for (const [key, value] of records) state.apply(0, key, Buffer.from(value));
  state.apply(offset - 1, 'other', Buffer.from('{}'));
  return state.snapshot();
}
const member = (name: string, configOffset: number): MemberMetadata => ({
  url: `http://${name}:8083/`,
  configOffset,
  allocation: null,
});
function assign(overrides: Partial<LeaderInput>): Record<string, Assignment> {
  const { assignments } = new LeaderAssignment(0, () => 0).assign({
    protocol: 'sessioned',
    members: new Map([
      ['w1', member('w1', 10)],
      ['w2', member('w2', 10)],
    ]),
    leaderId: 'w1',
    generation: 1,
    lastCompletedGeneration: -1,
    snapshot: snapshot(10),
    freshSnapshot: () => snapshot(10),
    ranOn: () => null,
    ...overrides,
  });
  return Object.fromEntries([...assignments].map(([id, bytes]) => [id, decodeAssignment(bytes)]));
}
const ahead = new Map([
  ['w1', member('w1', 10)],
  ['w2', member('w2', 12)],
]);

test('every member gets the leader, its URL and the offset', () => {
  const { w1, w2 } = assign({});
  for (const assignment of [w1, w2])
    expect(assignment).toMatchObject({
      leader: 'w1',
      leaderUrl: 'http://w1:8083/',
      configOffset: 10,
      configMismatch: false,
    });
  expect([...(w1?.assigned.connectors ?? []), ...(w2?.assigned.connectors ?? [])]).toEqual(['c']);
});

test('a leader that has read to the offset of another member assigns work, although it sees fewer records', () => {
  const members = new Map([
    ['w1', member('w1', 12)],
    ['w2', member('w2', 12)],
  ]);
  const { w1 } = assign({ members, freshSnapshot: () => snapshot(11) });
  expect(w1).toMatchObject({ configOffset: 12, configMismatch: false });
});

test('connect-runtime 43: a leader that stays behind the config topic assigns nothing', () => {
  const { w1, w2 } = assign({ members: ahead, freshSnapshot: () => snapshot(11) });
  for (const assignment of [w1, w2])
    expect(assignment).toMatchObject({
      configMismatch: true,
      configOffset: 12,
      assigned: { connectors: [], tasks: [] },
    });
});

test('a leader that was behind uses its fresh snapshot and sends its offset', () => {
  const { w1 } = assign({ members: ahead, freshSnapshot: () => snapshot(13) });
  expect(w1).toMatchObject({ configMismatch: false, configOffset: 13 });
});

test('the eager protocol reassigns everything', () => {
  const { w1, w2 } = assign({ protocol: 'default' });
  expect(w1?.assigned).toEqual({ connectors: ['c'], tasks: [] });
  expect(w2?.assigned).toEqual({ connectors: [], tasks: [{ connector: 'c', task: 0 }] });
});
