import type { WorkerConfig } from '../../../src/config/worker-config';
import * as configs from '../../../src/tasks/clients/client-configs';

const id = { connector: 'c', task: 0 };
type Built = readonly [name: string, build: (worker: Worker, connector: Record<string, string>) => unknown];
type Worker = Pick<WorkerConfig, 'client' | 'clientOverridePolicy' | 'clientOverrideAllowlist'>;
const builders: readonly Built[] = [
  ['producer', (worker, config) => configs.sourceProducerConfig(worker, id, config)],
  ['producer', (worker, config) => configs.exactlyOnceProducerConfig(worker, id, config, 't')],
  ['producer', (worker, config) => configs.deadLetterProducerConfig(worker, id, config)],
  ['consumer', (worker, config) => configs.sinkConsumerConfig(worker, id, config, null)],
  ['admin', (worker, config) => configs.taskAdminConfig(worker, id, config)],
  ['admin', (worker, config) => configs.connectorAdminConfig(worker, 'c', config)],
  ['admin', (worker, config) => configs.fencingAdminConfig(worker, 'c', config)],
  ...(['producer', 'consumer', 'admin'] as const).flatMap((kind): Built[] => [
    [kind, (worker, config) => configs.offsetClientConfigs(worker, 'c', config)[kind]],
    [kind, (worker, config) => configs.requestClientConfigs(worker, 'c', config)[kind]],
  ]),
];
const worker = (clientOverridePolicy: string): Worker => ({
  client: () => ({ 'bootstrap.servers': 'kafka:9092' }),
  clientOverridePolicy,
  clientOverrideAllowlist: ['linger.ms'],
});

test('every function that builds the settings of a client is tried', () => {
  const source = builders.map(([, build]) => String(build)).join();
  for (const name of Object.keys(configs)) expect(source).toContain(name);
});

test.each(builders)('connect-rest 136: no %s opens with a setting that the policy refuses (%#)', (kind, build) => {
  const config = { [`${kind}.override.bootstrap.servers`]: 'evil:9092' };
  expect(build(worker('All'), config)).toMatchObject({ 'bootstrap.servers': 'evil:9092' });
  for (const policy of ['None', 'Principal', 'Allowlist'])
    expect(() => build(worker(policy), config)).toThrow(
      expect.objectContaining({
        code: 'CLIENT_OVERRIDE_REFUSED',
        message: `The '${policy}' policy does not allow 'bootstrap.servers' to be overridden in the connector configuration.`,
      }),
    );
  const allowed = { [`${kind}.override.linger.ms`]: '7', [`${kind}.override.security.protocol`]: 'SSL' };
  expect(() => build(worker('Allowlist'), allowed)).toThrow("does not allow 'security.protocol'");
  expect(() => build(worker('Principal'), allowed)).toThrow("does not allow 'linger.ms'");
});
