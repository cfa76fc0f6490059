import { mayBeIdempotent } from '../../../src/tasks/source/create-delivery';

test.each<[Record<string, string>, Record<string, string>, boolean]>([
  [{}, {}, true],
  [{ 'linger.ms': '5' }, { 'producer.override.linger.ms': '7' }, true],
  [{ 'enable.idempotence': 'false' }, {}, false],
  [{}, { 'producer.override.enable.idempotence': 'false' }, false],
  [{ 'max.in.flight.requests.per.connection': '1' }, {}, false],
])(
  'connect-runtime 4.1: the source producer is idempotent unless a user sets it: worker %p, connector %p',
  (worker, connector, expected) => {
    const environment = { config: { client: () => worker } };
    const spec = { connectorConfig: connector, exactlyOnce: null };
    expect(mayBeIdempotent({ spec, environment } as never)).toBe(expected);
  },
);
