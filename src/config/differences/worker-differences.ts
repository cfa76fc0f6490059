/** What of a worker's settings works differently than in Java. What is invalid, the parser reports. Pure. */
import { nearestName } from '@millrace/sdk';
import { CLIENT_KEYS } from '../client-keys';
import { withoutPrefix } from '../client-config';
import { EMBEDDED_SETTINGS } from '../embedded-broker';
import { rowsOf } from '../setting';
import { WORKER_SETTINGS } from '../worker-settings';
import { clientDifference, CONFLUENT_CLIENT_ROW, type TaskClient } from './client-rows';
import { covers, differenceOf, type Difference, type DifferenceRow } from './difference';

type Settings = Readonly<Record<string, string>>;

const METRICS = 'Metrics are at GET /metrics.';
const STANDALONE = 'There is no standalone mode: a single worker is a distributed one.';

const ROWS: readonly DifferenceRow[] = [
  {
    key: /^internal\.(?:key|value)\.converter(?:\.|$)/,
    kind: 'ignored',
    message: 'The storage topics always have JSON without schemas, as in Java since Kafka 3.0.',
    instead: 'Remove it.',
  },
  {
    key: /^rest\.(?:host\.name|port)$/,
    kind: 'ignored',
    message: 'Java has ignored it, too, since Kafka 3.0.',
    instead: 'Set listeners=http://HOST:PORT.',
  },
  {
    key: 'offset.storage.file.filename',
    kind: 'ignored',
    message: STANDALONE,
    instead: 'Set group.id and the three storage topics.',
  },
  {
    key: 'config.storage.partitions',
    kind: 'ignored',
    message: 'The config topic always has one partition.',
    same: ['1'],
  },
  {
    key: /^(?:config|offset|status)\.storage\.cleanup\.policy$/,
    kind: 'ignored',
    message: 'Storage topics are always compacted.',
    same: ['compact'],
  },
  {
    key: /^metric\.reporters$|^auto\.include\.jmx\.reporter$|^metrics\.(?:recording\.level|context\.)/,
    kind: 'ignored',
    message: METRICS,
    instead: 'Scrape them with Prometheus.',
    same: ['info'],
  },
  {
    key: 'plugin.discovery',
    kind: 'changed',
    message: 'Plugins without service files do not keep the worker from starting.',
    same: ['only_scan', 'hybrid_warn', 'service_load'],
  },
  {
    key: /^confluent\.license(?:\.|$)/,
    kind: 'ignored',
    message: 'Millrace needs no license.',
    instead: 'Remove it.',
  },
  { key: /^confluent\.telemetry\./, kind: 'ignored', message: METRICS },
  {
    key: /^confluent\.metadata\.|^public\.key\.path$|^rest\.servlet\.initializor\.classes$/,
    kind: 'ignored',
    message: 'Role-based access control of Confluent is a Java library, which cannot run here.',
    instead: 'Set rest.auth.* for bearer tokens and roles of the REST API.',
  },
  CONFLUENT_CLIENT_ROW,
  {
    key: 'scheduled.rebalance.max.delay.ms',
    kind: 'changed',
    message: 'A worker that returns earlier gets its connectors and tasks back at once.',
    same: ['0'],
  },
];

const STORAGE_TOPIC = /^(?:config|offset|status)\.storage\./;
/** Prefixes of settings that belong to a part of the worker, to a plugin, or to the topics that it creates. */
const FAMILIES =
  /^(?:(?:key|value|header)\.converter|config\.providers|(?:config|offset|status)\.storage|listeners\.https|admin\.listeners)\./;
/** Listeners have the settings of clients for TLS; these say more. */
const LISTENER = 'listeners.https.';
const CLIENTS = ['producer', 'consumer', 'admin'] as const satisfies readonly TaskClient[];
const OWN = new Set([WORKER_SETTINGS, EMBEDDED_SETTINGS].flatMap(rowsOf).map(({ name }) => name));
const OF_CLIENTS = new Set(CLIENTS.flatMap((client) => [...CLIENT_KEYS[client].keys()]));
/** Settings of clients that only Millrace has, and those of `allow.auto.create.topics` for producers. */
const OF_MILLRACE = new Set(['allow.auto.create.topics', 'compression.level', 'decompressed.batch.max.bytes']);
/** Unknown keys that are compared with known ones: each costs about 0.1 ms. */
const MOST_COMPARED = 1_000;
/** Longer keys are not typing errors. */
const LONGEST_KEY = 200;

/**
 * Differences in the order of the keys.
 * @param ofPlugins settings that plugins request in their manifests
 */
export function workerDifferences(settings: Settings, ofPlugins: readonly string[] = []): readonly Difference[] {
  const known = new Set([...OWN, ...ofPlugins]);
  let compared = 0;
  const nearest = (key: string, names: Iterable<string>): string | null =>
    key.length > LONGEST_KEY || ++compared > MOST_COMPARED ? null : nearestName(key, names);
  return Object.keys(settings).flatMap((key) => one(key, settings, known, nearest) ?? []);
}

type Nearest = (key: string, names: Iterable<string>) => string | null;

function one(key: string, settings: Settings, known: ReadonlySet<string>, nearestKey: Nearest): Difference | null {
  const row = differenceOf(ROWS, key, settings);
  if (row !== null || ROWS.some((each) => covers(each, key)) || known.has(key)) return row;
  const prefix = [...CLIENTS.map((client) => `${client}.`), LISTENER].find((each) => key.startsWith(each));
  if (prefix !== undefined) {
    const client = CLIENTS.find((each) => prefix === `${each}.`) ?? 'admin';
    const name = key.slice(prefix.length);
    const found = clientDifference(client, name, withoutPrefix(settings, prefix), prefix);
    return found ?? (prefix === LISTENER ? null : unknownOf(key, prefix, client, nearestKey));
  }
  if (FAMILIES.test(key)) {
    // Any setting of a topic may follow the prefix, so only what is nearly a key of ours is a typing error.
    const meant = STORAGE_TOPIC.test(key) ? nearestKey(key, known) : null;
    return meant === null
      ? null
      : unknown(key, 'It is not a setting of workers, and goes to the topic as it is.', meant);
  }
  if (!CLIENTS.some((each) => isOfClient(each, key)))
    return unknown(key, 'It is not a setting of workers or Kafka clients.', nearestKey(key, [...known, ...OF_CLIENTS]));
  // The worker's own clients read unprefixed settings.
  const client = CLIENTS.find((each) => CLIENT_KEYS[each].has(key)) ?? 'admin';
  return clientDifference(client, key, settings, '');
}

function isOfClient(client: TaskClient, name: string): boolean {
  return CLIENT_KEYS[client].has(name) || OF_MILLRACE.has(name);
}

/** @param prefix of the client's keys */
function unknownOf(key: string, prefix: string, client: TaskClient, nearestKey: Nearest): Difference | null {
  const name = key.slice(prefix.length);
  if (isOfClient(client, name)) return null;
  const whose = client === 'admin' ? 'admin clients' : `${client}s`;
  const nearest = nearestKey(name, CLIENT_KEYS[client].keys());
  return unknown(key, `It is not a setting of Kafka’s ${whose}.`, nearest === null ? null : prefix + nearest);
}

function unknown(key: string, message: string, meant: string | null): Difference {
  return { key, kind: 'ignored', message, instead: meant === null ? null : `Did you mean ${meant}?`, meant };
}
