/** What the leader knows of the members that it assigns work to. */
import { encodeMetadata, type MemberMetadata } from '../../../src/cluster/group/connect-protocol';
import { Leadership } from '../../../src/cluster/group/leadership';
import { ConfigState } from '../../../src/storage/config/config-state';

function allMark(...members: Partial<MemberMetadata>[]): boolean {
  const leadership = new Leadership(0, () => 0);
  const snapshot = new ConfigState().snapshot();
  leadership.assign(
    members.map((more, index) => {
      const metadata = { url: `http://w${index}:8083/`, configOffset: 0, allocation: null, ...more };
      return { memberId: `w${index}`, groupInstanceId: null, metadata: encodeMetadata('sessioned', metadata) };
    }),
    {
      ...{ protocol: 'sessioned', leaderId: 'w0', generation: 1, lastCompletedGeneration: -1 },
      ...{ snapshot, freshSnapshot: () => snapshot, ranOn: () => null },
    },
  );
  return leadership.allMark;
}

test('a leader requires marks of internal requests only while every member sends them', () => {
  const ours = { reserves: true, marks: true };
  expect(new Leadership(0, () => 0).allMark).toBe(false);
  expect(allMark(ours, ours)).toBe(true);
  // Java's, and one of an earlier version.
  expect(allMark(ours, {})).toBe(false);
  expect(allMark(ours, { reserves: true }, ours)).toBe(false);
});
