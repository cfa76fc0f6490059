/** What the REST API counts of its clients. */
import { counter, gauge, type Attribute, type Group } from './attribute';

/** Credentials that a client can fail with. */
export const CREDENTIALS = ['basic', 'bearer', 'certificate'] as const;
export type Credentials = (typeof CREDENTIALS)[number];

export class RestMetrics {
  /** Open now. */
  connections = 0;
  readonly dropped = { idle: 0, refused: 0 };
  /** Not checked, because of too many failures. */
  refusedLogins = 0;
  readonly failedLogins: Record<Credentials, number> = { basic: 0, bearer: 0, certificate: 0 };
}

const byLabel = (
  name: string,
  help: string,
  label: string,
  of: (metrics: RestMetrics) => Readonly<Record<string, number>>,
): Attribute<RestMetrics> => ({
  ...{ name, help, type: 'counter' },
  samples: (metrics) => Object.entries(of(metrics)).map(([key, value]) => ({ labels: { [label]: key }, value })),
});

/** Millrace only. */
export const REST: Group<RestMetrics> = {
  domain: 'millrace',
  name: 'rest',
  labels: () => ({}),
  attributes: [
    gauge('connections', 'Open connections to the REST API.', ({ connections }) => connections),
    byLabel(
      'connections-dropped-total',
      'Connections that rest.connections.max left no room for: idle ones closed, new ones refused.',
      'reason',
      ({ dropped }) => dropped,
    ),
    byLabel(
      'failed-logins-total',
      'Requests with wrong credentials, by their type.',
      'credentials',
      ({ failedLogins }) => failedLogins,
    ),
    counter(
      'refused-logins-total',
      'Passwords that were not checked, because too many wrong ones had come from the address.',
      ({ refusedLogins }) => refusedLogins,
    ),
  ],
};
