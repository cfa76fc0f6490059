import { editDistance } from '@millrace/sdk';

test.each([
  ['abc', 'abc', 0],
  ['abc', 'abd', 1],
  ['abc', 'bc', 1],
  ['slot.name', 'slots.name', 1],
  ['slot.name', 'slot.nmae', 2],
  ['abcd', 'badc', 3],
  ['a', 'abcd', 3],
  ['slot.name', 'something', 3],
])('edits from %s to %s, at most three', (a, b, edits) => {
  expect(editDistance(a, b, 2)).toBe(edits);
});
