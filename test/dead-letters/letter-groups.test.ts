import { groupKey, letterGroups, outlineOf, patternOf, type LetterOutline } from '../../src/dead-letters/letter-groups';

const letter = (offset: number, message: string | null, more: Partial<LetterOutline> = {}): LetterOutline => ({
  ...{ partition: 0, offset, at: 1_000 + offset, stage: 'PUT', errorClass: 'E', message, hasOrigin: true, ...more },
});

test.each([
  ['Value 12 of "price" at offset 42', 'Value … of … at offset …'],
  ["Key 'a b' is not a number", 'Key … is not a number'],
  ["The column's type doesn't fit", "The column's type doesn't fit"],
  ['Row 1.5e3, 2026-01-31T12:00:00Z', 'Row …e…T…Z'],
  ['id 123e4567-e89b-12d3-a456-426614174000 is twice', 'id … is twice'],
  ['block deadbeef01 of facade', 'block … of facade'],
  ['unexpected character at position 7', 'unexpected character at position …'],
  ['', ''],
])('%p is %p', (message, pattern) => expect(patternOf(message)).toBe(pattern));

test.each(['"', '1-', "'a", 'a1', '…1'])('a message of many %p is compared by its beginning', (part) => {
  expect(patternOf(part.repeat(100_000))).toBe(patternOf(part.repeat(1_000).slice(0, 1_000)));
});

test('letters that differ in values only are a group, the newest first, with count, first and last', () => {
  const groups = letterGroups([
    letter(9, 'bad value 9'),
    letter(8, 'no table'),
    letter(7, 'bad value 7', { hasOrigin: false }),
    letter(6, 'bad value 6', { partition: 2 }),
    letter(5, 'bad value 5', { stage: 'VALUE_CONVERTER' }),
  ]);
  expect(groups.map(({ key: _, ...group }) => group)).toEqual([
    {
      ...{ pattern: 'bad value …', message: 'bad value 9', stage: 'PUT', errorClass: 'E', count: 3 },
      ...{ first: 1_006, last: 1_009 },
      replayable: [
        { partition: 0, offset: '9' },
        { partition: 2, offset: '6' },
      ],
    },
    expect.objectContaining({ pattern: 'no table', count: 1, first: 1_008, last: 1_008 }),
    expect.objectContaining({ pattern: 'bad value …', stage: 'VALUE_CONVERTER', count: 1 }),
  ]);
  expect(new Set(groups.map(({ key }) => key)).size).toBe(3);
  expect(groups[0]?.key).toBe(groupKey(letter(1, 'bad value 1')));
});

test('letters without headers are a group, too; those without a time have none', () => {
  const record = { offset: 3, timestamp: -1, key: null, value: null, headers: [] };
  const [group] = letterGroups([outlineOf(1, record)]);
  expect(group).toMatchObject({ pattern: null, message: null, count: 1, first: null, last: null, replayable: [] });
});

test('the number of groups is bounded', () => {
  const words = Array.from({ length: 300 }, (_, n) => String.fromCharCode(97 + (n % 26), 97 + Math.floor(n / 26)));
  expect(letterGroups(words.map((word, n) => letter(n, word)))).toHaveLength(200);
});
