import { refuseUnsupported } from '../../src/tasks/unsupported-settings';

const refuse =
  (type: 'source' | 'sink', config: Record<string, string>, clientOverridePolicy = 'All') =>
  (): void =>
    refuseUnsupported(type, config, {
      clientOverridePolicy,
      clientOverrideAllowlist: ['linger.ms'],
    });

test('connect-runtime 89: a source that Java’s workers stored with exactly-once does not start', () => {
  expect(refuse('source', { 'exactly.once.support': 'Required' })).toThrow(
    expect.objectContaining({ code: 'EXACTLY_ONCE_UNSUPPORTED' }),
  );
});

test('connect-runtime 89: it starts exactly-once', () => {
  const policy = { clientOverridePolicy: 'All', clientOverrideAllowlist: [] };
  expect(() => refuseUnsupported('source', { 'exactly.once.support': 'required' }, policy, true)).not.toThrow();
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
});
