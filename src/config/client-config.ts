/**
 * Selects the worker settings that each Kafka client receives. Pure. Source: connect-runtime Appendix B, kafka-client
 * §3.
 */
import { rowsOf } from './setting';
import { WORKER_SETTINGS } from './worker-settings';

export type ClientKind = 'worker' | 'producer' | 'consumer' | 'admin';
type Settings = Readonly<Record<string, string>>;

/** Prefixes of settings that no client receives. */
const WORKER_FAMILIES = [
  'admin.',
  'config.providers.',
  'config.storage.',
  'consumer.',
  'embedded.',
  'header.converter.',
  'key.converter.',
  'listeners.https.',
  'offset.storage.',
  'producer.',
  'status.storage.',
  'value.converter.',
];
const { bootstrapServers, clientId } = WORKER_SETTINGS;
/** Kafka clients receive no other rows of the table than these two. */
const WORKER_ONLY = new Set(
  rowsOf(WORKER_SETTINGS)
    .map(({ name }) => name)
    .filter((name) => name !== bootstrapServers.name && name !== clientId.name),
);

/**
 * `worker`: unprefixed settings. `admin`: the same, overridden by `admin.*`. `producer` and `consumer`: only bootstrap
 * servers and their own prefix; as in Java, they do not inherit the worker's security settings.
 */
export function clientSettings(raw: Settings, kind: ClientKind): Record<string, string> {
  const bootstrap = { 'bootstrap.servers': raw['bootstrap.servers'] ?? '' };
  switch (kind) {
    case 'worker':
      return unprefixed(raw);
    case 'admin':
      return { ...unprefixed(raw), ...withoutPrefix(raw, 'admin.') };
    default:
      return { ...bootstrap, ...withoutPrefix(raw, `${kind}.`) };
  }
}

/** Settings under a prefix, without it. */
export function withoutPrefix(raw: Settings, prefix: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(raw)
      .filter(([key]) => key.startsWith(prefix) && key.length > prefix.length)
      .map(([key, value]) => [key.slice(prefix.length), value]),
  );
}

function unprefixed(raw: Settings): Record<string, string> {
  return Object.fromEntries(
    Object.entries(raw).filter(
      ([key, value]) =>
        !WORKER_ONLY.has(key) &&
        !WORKER_FAMILIES.some((family) => key.startsWith(family)) &&
        !(key === 'client.id' && value === ''),
    ),
  );
}
