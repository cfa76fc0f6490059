import { fencingDecision } from '../../../src/cluster/fencing/fencing-decision';

test.each([
  // A task count record follows the last commit record: nothing to do, whatever it says.
  [false, null, 0, { kind: 'none' }],
  [false, 1, 1, { kind: 'none' }],
  [false, 3, 2, { kind: 'none' }],
  // No task has used a transactional id yet.
  [true, null, 0, { kind: 'record', tasks: 0 }],
  [true, null, 3, { kind: 'record', tasks: 3 }],
  // The new task fences the old one, by its transactional id.
  [true, 1, 1, { kind: 'record', tasks: 1 }],
  [true, 1, 0, { kind: 'fence', fenced: 1, tasks: 0 }],
  [true, 1, 2, { kind: 'fence', fenced: 1, tasks: 2 }],
  [true, 2, 1, { kind: 'fence', fenced: 2, tasks: 1 }],
  [true, 3, 3, { kind: 'fence', fenced: 3, tasks: 3 }],
  [true, 0, 2, { kind: 'fence', fenced: 0, tasks: 2 }],
] as const)('connect-runtime 82: pending=%s, recorded=%s, tasks=%s', (pending, recorded, tasks, decision) => {
  expect(fencingDecision({ pending, recorded, tasks })).toEqual(decision);
});
