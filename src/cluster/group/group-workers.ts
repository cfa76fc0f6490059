/** The workers of the group, as Kafka knows them: every worker can ask, not the leader alone. */
import type { GroupDescription } from '@millrace/kafka-client';
import type { WorkerMember } from '../entities';
import { decodeMetadata } from './connect-protocol';

export class GroupWorkers {
  private known: readonly WorkerMember[] | null = null;

  constructor(private readonly describe: () => Promise<GroupDescription>) {}

  /**
   * The members; during a rebalance, those before it. Null: none are known yet. Rejects with KafkaError when Kafka does
   * not answer.
   */
  async members(): Promise<readonly WorkerMember[] | null> {
    const members = membersOf(await this.describe());
    if (members !== null) this.known = members;
    return this.known;
  }
}

/** Null: Kafka does not show what the members sent before the rebalance is complete. Pure. */
export function membersOf({ state, members }: GroupDescription): readonly WorkerMember[] | null {
  if (members.length > 0 && state !== 'Stable') return null;
  return members.flatMap(({ metadata }) => {
    try {
      const { url } = decodeMetadata(metadata);
      return /^https?:/i.test(url) ? [{ url, id: workerIdOf(url) }] : [];
    } catch {
      // Not a worker's.
      return [];
    }
  });
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Identifies a worker as the status topic does: `host:port` of its advertised URL, the port always written. Throws
 * TypeError for a text that is not a URL. Source: connect-runtime §1.6.1.
 */
export function workerIdOf(restUrl: string): string {
  const { hostname, port, protocol } = new URL(restUrl);
  return `${hostname}:${port || DEFAULT_PORTS[protocol]}`;
}
