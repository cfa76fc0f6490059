/** Options of pgoutput in START_REPLICATION (cdc-postgres §5.4). Pure. */
import { KEY } from '../config/definitions';
import type { PostgresConfig } from '../config/postgres-config';
import { quoteIdentifier } from '../database/identifiers';

type Option = readonly [name: string, value: string];
type PgoutputConfig = Pick<PostgresConfig, 'stream' | 'publication'> & {
  readonly slot: Pick<PostgresConfig['slot'], 'streamParams'>;
};

/** The first version of PostgreSQL that has the option. */
const SINCE = { messages: 140000, streaming: 140000, two_phase: 150000, parallel: 160000 };
const ON = /^(?:on|true|1|)$/i;

/** With the lowest protocol that they need, and `slot.stream.params`, which replace options of the same name. */
export function pgoutputOptions(config: PgoutputConfig, serverVersion: number): Option[] {
  const given = new Map(config.slot.streamParams.map(([name, value]) => [name.toLowerCase(), value]));
  const streaming = given.get('streaming') ?? availableStreaming(config, serverVersion);
  const twoPhase = ON.test(given.get('two_phase') ?? String(usesTwoPhase(config, serverVersion)));
  const needed = /^parallel$/i.test(streaming) ? 4 : twoPhase ? 3 : ON.test(streaming) ? 2 : 1;
  const options = new Map<string, string>([
    ['proto_version', '1'],
    ['publication_names', quoteIdentifier(config.publication.name)],
  ]);
  if (serverVersion >= SINCE.messages) options.set('messages', 'true');
  if (needed > 1 && streaming !== 'off') options.set('streaming', streaming);
  if (twoPhase) options.set('two_phase', 'true');
  for (const [name, value] of given) options.set(name, value);
  options.set('proto_version', String(Math.max(needed, Number(given.get('proto_version') ?? 1) || 1)));
  return [...options];
}

/** Whether a slot is created for prepared transactions. */
export function usesTwoPhase({ stream }: Pick<PostgresConfig, 'stream'>, serverVersion: number): boolean {
  return stream.twoPhase && serverVersion >= SINCE.two_phase;
}

/** Warnings about what the server is too old for, or the plugin lacks. */
export function unavailableOptions(
  { stream, plugin }: Pick<PostgresConfig, 'stream' | 'plugin'>,
  serverVersion: number,
): string[] {
  if (plugin !== 'pgoutput') {
    const { include, exclude } = stream.messages;
    const rows: [isWanted: boolean, key: string][] = [
      [stream.streaming !== 'off', `${KEY.pgoutputStreaming}=${stream.streaming}`],
      [stream.twoPhase, `${KEY.pgoutputTwoPhase}=true`],
      [include !== null, KEY.messagePrefixIncludeList],
      [exclude !== null, KEY.messagePrefixExcludeList],
    ];
    return rows
      .filter(([isWanted]) => isWanted)
      .map(([, key]) => `${key} has no effect with plugin.name=${plugin}; it needs pgoutput.`);
  }
  const rows: [isWanted: boolean, since: number, key: string][] = [
    [stream.streaming === 'on', SINCE.streaming, `${KEY.pgoutputStreaming}=on`],
    [stream.streaming === 'parallel', SINCE.parallel, `${KEY.pgoutputStreaming}=parallel`],
    [stream.twoPhase, SINCE.two_phase, `${KEY.pgoutputTwoPhase}=true`],
  ];
  return rows
    .filter(([isWanted, since]) => isWanted && serverVersion < since)
    .map(
      ([, since, key]) =>
        `${key} needs PostgreSQL ${since / 10000} or later; the server sends each transaction after its commit.`,
    );
}

function availableStreaming({ stream: { streaming } }: PgoutputConfig, serverVersion: number): string {
  if (streaming === 'parallel' && serverVersion < SINCE.parallel) return serverVersion < SINCE.streaming ? 'off' : 'on';
  return serverVersion < SINCE.streaming ? 'off' : streaming;
}
