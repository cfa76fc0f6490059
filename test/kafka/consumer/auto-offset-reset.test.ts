import { readOffsetReset } from '../../../packages/kafka-client/src/consumer/auto-offset-reset';

const read = (value: string) => readOffsetReset({ 'auto.offset.reset': value });

test.each([
  ['earliest', 'earliest'],
  ['LATEST', 'latest'],
  ['none', 'none'],
  ['by_duration:P7D', { backMs: 7 * 86_400_000 }],
  ['by_duration:PT1H30M', { backMs: 5_400_000 }],
  ['by_duration:P1DT2H3M4.5S', { backMs: 93_784_500 }],
  ['by_duration:PT0S', { backMs: 0 }],
  ['by_duration:-PT-5S', { backMs: 5_000 }],
])('auto.offset.reset=%s is read as Java does', (value, reset) => {
  expect(read(value)).toEqual(reset);
});

test('without auto.offset.reset reading begins at the latest offset', () => {
  expect(readOffsetReset({})).toBe('latest');
});

test.each(['by_duration', 'by_duration:', 'by_duration:P', 'by_duration:P1DT', 'by_duration:1h', 'by_duration:P1M'])(
  'auto.offset.reset=%s is refused with what it should look like',
  (value) => {
    expect(() => read(value)).toThrow(/'auto.offset.reset' must be a duration as in 'by_duration:P7D'/);
  },
);

test('auto.offset.reset refuses a negative duration, and names all it takes for anything else', () => {
  expect(() => read('by_duration:PT-1H')).toThrow(/must be a duration/);
  expect(() => read('newest')).toThrow(/must be one of earliest, latest, none, by_duration:<duration>, not 'newest'/);
});
