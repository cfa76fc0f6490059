import {
  addRange,
  after,
  ALL_BLOCKS,
  coversAll,
  formatRanges,
  missingRanges,
  parseRanges,
  rowPosition,
  tidLiteral,
  type BlockRange,
} from '../../../../connectors/postgres/src/snapshot/block-ranges';

const ranges = (text: string): BlockRange[] => parseRanges(text) as BlockRange[];

test.each([
  ['', '0-8', '0-8'],
  ['0-8', '8-16', '0-16'],
  ['0-8', '16-24', '0-8,16-24'],
  ['0-8,16-24', '8-16', '0-24'],
  ['0-8,16-24', '4-20', '0-24'],
  ['8-16', '0-', '0-'],
  ['16-', '8-16', '8-'],
])('%s and %s are %s', (before, added, sum) => {
  expect(formatRanges(addRange(ranges(before), ranges(added)[0] as BlockRange))).toBe(sum);
});

test.each([
  ['', '0-'],
  ['0-', ''],
  ['0-8', '8-'],
  ['8-16,24-', '0-8,16-24'],
  ['0-5.17,6.1-', '5.17-6.1'],
])('the blocks outside %s are %s', (inside, outside) => {
  expect(formatRanges(missingRanges(ranges(inside)))).toBe(outside);
  expect(coversAll(ranges(inside))).toBe(outside === '');
});

test.each(['x', '8-8', '9-8', '0-8;', '-', '1e3-', '0-8,', '12345678901-', '0-5.65536', '5.2-5.1', '0-1-2'])(
  '%p is not a list of ranges',
  (text) => {
    expect(parseRanges(text)).toBeNull();
  },
);

test('bounds within a block are literals of the type tid', () => {
  const [range] = ranges('5.17-4294967295.65535');
  expect(tidLiteral(range?.from as number)).toBe("'(5,17)'::tid");
  expect(tidLiteral(range?.to as number)).toBe("'(4294967295,65535)'::tid");
  expect(after(rowPosition(5, 17))).toBe(rowPosition(5, 18));
});

test('all blocks are one range without an end', () => {
  expect(formatRanges([ALL_BLOCKS])).toBe('0-');
});
