import { shownLetter } from '../../src/dead-letters/shown-letter';

test('a letter without context headers has no origin', () => {
  expect(
    shownLetter(2, {
      ...{ offset: 9, timestamp: -1, key: null, value: Buffer.from('v') },
      headers: [{ key: 'a', value: null }],
    }),
  ).toEqual({
    ...{ partition: 2, offset: '9', at: null, key: null, value: 'v', origin: null },
    failure: { stage: null, errorClass: null, message: null, task: null },
    headers: [{ key: 'a', value: '' }],
  });
});
