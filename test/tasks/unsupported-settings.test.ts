import { refuseUnsupported } from '../../src/tasks/unsupported-settings';

const refuse =
  (type: 'source' | 'sink', config: Record<string, string>, clientOverridePolicy = 'All', isExactlyOnce = false) =>
  (): void =>
    refuseUnsupported(type, config, { clientOverridePolicy, clientOverrideAllowlist: ['linger.ms'] }, isExactlyOnce);

test('connect-runtime 89: a source that requires exactly-once does not start on a worker without it', () => {
  expect(refuse('source', { 'exactly.once.support': 'Required' })).toThrow(
    expect.objectContaining({ code: 'EXACTLY_ONCE_UNSUPPORTED' }),
  );
  expect(refuse('source', { 'exactly.once.support': 'required' }, 'All', true)).not.toThrow();
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

test('connect-rest 136: the policy of the worker that runs the task decides, whichever worker accepted the config', () => {
  const config = { 'producer.override.linger.ms': '1', 'producer.override.acks': '1', 'consumer.override.x': '1' };
  expect(refuse('source', config)).not.toThrow();
  expect(refuse('source', config, 'Allowlist')).toThrow(
    expect.objectContaining({
      code: 'CLIENT_OVERRIDE_REFUSED',
      message: "The 'Allowlist' policy does not allow 'acks' to be overridden in the connector configuration.",
    }),
  );
  expect(refuse('sink', config, 'None')).toThrow("does not allow 'x'");
  // With exactly-once, a source has a consumer and an admin client of its own.
  const consumer = { 'consumer.override.x': '1', 'admin.override.y': '1' };
  expect(refuse('source', consumer, 'None')).not.toThrow();
  expect(refuse('source', consumer, 'None', true)).toThrow(/does not allow 'x'.* does not allow 'y'/);
});
