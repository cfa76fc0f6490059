import { editDistance, nearestName } from '@millrace/sdk';

test.each([
  ['abc', 'abc', 0],
  ['abc', 'abd', 1],
  ['abc', 'bc', 1],
  ['slot.name', 'slots.name', 1],
  ['slot.name', 'slot.nmae', 1],
  ['ab', 'ba', 1],
  ['abcd', 'badc', 2],
  ['abxcd', 'bacd', 2],
  ['abcdef', 'badcfe', 3],
  ['a', 'abcd', 3],
  ['slot.name', 'something', 3],
])('edits from %s to %s, at most three', (a, b, edits) => {
  expect(editDistance(a, b, 2)).toBe(edits);
  expect(editDistance(b, a, 2)).toBe(edits);
});

test('a swap counts as one edit with a limit of one, wherever it is', () => {
  expect(['bacd', 'acbd', 'abdc'].map((swapped) => editDistance('abcd', swapped, 1))).toEqual([1, 1, 1]);
});

const NAMES = ['topics', 'topics.regex', 'errors.tolerance', 'errors.log.enable', 'url', 'type'];

test.each([
  ['erors.tolerance', 'errors.tolerance'],
  ['erorrs.tolerance', 'errors.tolerance'],
  ['Topics.Regx', 'topics.regex'],
  ['topic', 'topics'],
  ['typ', 'type'],
  ['uri', 'url'],
  ['tp', null],
  ['tags', null],
  ['errors.something', null],
  ['', null],
])('the name nearest to %j is %j', (text, nearest) => {
  expect(nearestName(text, NAMES)).toBe(nearest);
});

test('of several names, the one with the fewest edits, then the first', () => {
  expect(nearestName('batch.size', ['batches.size', 'batch.sizes', 'batch.site'])).toBe('batch.sizes');
});
