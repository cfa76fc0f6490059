import { fileStreamSource } from '../../../../connectors/file/src/source/connector';

const alter = (partition: unknown, offset: unknown, config = { file: '/f', topic: 't' }): unknown =>
  fileStreamSource.alterOffsets?.(config, [[partition, offset]] as never, 'alter');

test.each([
  [{ filename: '/f' }, { position: 5 }],
  [{ filename: '/f' }, { position: 9007199254740993n }],
  [{ filename: '/f' }, null],
  [{ file: '/f' }, null],
  [null, null],
  [
    { filename: null, x: 1 },
    { position: 0, y: 2 },
  ],
])('connect-runtime 10.9: the offset of %j may be %p', (partition, offset) => {
  expect(alter(partition, offset)).toBe(true);
});

const NOT_LONG = "The value for the 'position' key in the offset is expected to be a Long value";
test.each([
  [
    { filename: '/f' },
    { position: -5 },
    "The value for the 'position' key in the offset should be a non-negative value",
  ],
  [{ filename: '/f' }, { position: 5.5 }, NOT_LONG],
  [{ filename: '/f' }, { position: '5' }, NOT_LONG],
  [{ filename: '/f' }, { position: null }, NOT_LONG],
  [{ filename: '/f' }, {}, "Offset objects should either be null or contain the key 'position'"],
  [{ file: '/f' }, { position: 5 }, "Partition objects should contain the key 'filename'"],
  [null, { position: 5 }, 'Partition objects cannot be null'],
])('connect-runtime 10.9: the offset of %j may not be %p, with Java’s error', (partition, offset, message) => {
  expect(() => alter(partition, offset)).toThrow(message);
});

test('connect-runtime 10.9: standard input has no offsets to alter', () => {
  for (const file of ['', undefined]) {
    expect(() => alter({ filename: '/f' }, null, { file, topic: 't' } as never)).toThrow(
      "Offsets cannot be modified if the 'file' configuration is unspecified. This is because stdin is used for input and offsets are not tracked.",
    );
  }
});

test('validation rejects a topic name that Kafka does not allow', () => {
  const topic = fileStreamSource.config.find(({ name }) => name === 'topic');
  const reason = (value: string | null): string | null | undefined => topic?.validator?.(value, {});
  for (const fine of ['t', 'a.b_c-D9', 'x'.repeat(249), null]) expect(reason(fine)).toBeNull();
  expect(reason('')).toBe('String must be non-empty');
  for (const wrong of ['a,b', 'a b', 'ü', '.', '..', 'x'.repeat(250)]) expect(reason(wrong)).toContain('one topic');
});

test('connect-runtime §3.9: a file can be read exactly once, standard input cannot', () => {
  expect(fileStreamSource.exactlyOnceSupport?.({ file: '/f', topic: 't' })).toBe('supported');
  expect(fileStreamSource.exactlyOnceSupport?.({ topic: 't' })).toBe('unsupported');
});
