import { refuseUnsupported } from '../../src/tasks/unsupported';

const refuse = (type: 'source' | 'sink', config: Record<string, string>) => (): void =>
  refuseUnsupported(type, config, 'worker-offsets');

test.each([
  ['transforms', { transforms: 'a' }, 'TRANSFORMS_UNSUPPORTED'],
  ['connect-runtime 89: exactly-once', { 'exactly.once.support': 'Required' }, 'EXACTLY_ONCE_UNSUPPORTED'],
  ['connect-runtime 79: an offsets topic of its own', { 'offsets.storage.topic': 'mine' }, 'OFFSETS_TOPIC_UNSUPPORTED'],
])('a source that Java’s workers stored with %s does not start', (_what, config, code) => {
  expect(refuse('source', config)).toThrow(expect.objectContaining({ code }));
});

test('what asks for nothing unusual starts, and a sink does not care about sources’ settings', () => {
  expect(
    refuse('source', {
      transforms: ' ',
      'exactly.once.support': 'requested',
      'offsets.storage.topic': 'worker-offsets',
    }),
  ).not.toThrow();
  expect(refuse('sink', { 'exactly.once.support': 'required', 'offsets.storage.topic': 'mine' })).not.toThrow();
});
