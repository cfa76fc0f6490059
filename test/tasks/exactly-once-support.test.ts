import { refuseUnsupported } from '../../src/tasks/exactly-once-support';

const refuse =
  (type: 'source' | 'sink', config: Record<string, string>, isExactlyOnce = false) =>
  (): void =>
    refuseUnsupported(type, config, isExactlyOnce);

test('connect-runtime 89: a source that requires exactly-once does not start on a worker without it', () => {
  expect(refuse('source', { 'exactly.once.support': 'Required' })).toThrow(
    expect.objectContaining({ code: 'EXACTLY_ONCE_UNSUPPORTED' }),
  );
  expect(refuse('source', { 'exactly.once.support': 'required' }, true)).not.toThrow();
});

test('default values start, and a sink ignores settings of sources', () => {
  expect(
    refuse('source', {
      transforms: 'a',
      'exactly.once.support': 'requested',
      'offsets.storage.topic': 'mine',
    }),
  ).not.toThrow();
  expect(refuse('sink', { 'exactly.once.support': 'required' })).not.toThrow();
});
