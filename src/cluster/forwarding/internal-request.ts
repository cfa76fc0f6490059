/** Signed requests to the leader: to write generated task configs, and to fence tasks. Source: connect-runtime §2.7. */
import type { ConnectorConfig } from '@millrace/sdk';
import type { SessionKey } from '../../storage/config/config-records';
import { HerderError } from '../errors';
import type { ForwardRequest } from './forwarding';
import { ALGORITHM_HEADER, AUTHORIZATION_HEADER, sign } from './session-key';

export interface LeaderAddress {
  /** Null while no leader is known. */
  readonly leaderUrl: string | null;
  /** Whether the group signs its internal requests. */
  readonly sign: boolean;
  readonly key: SessionKey | null;
  readonly macAlgorithm: string;
  readonly forward: ForwardRequest;
}

/** Resolves when the leader has written the task configs. Throws HerderError. */
export async function sendTaskConfigs(
  connector: string,
  configs: readonly ConnectorConfig[],
  leader: LeaderAddress,
): Promise<void> {
  await send(leader, 'POST', `/connectors/${encodeURIComponent(connector)}/tasks`, JSON.stringify(configs));
}

/** Resolves when the earlier tasks of the connector are fenced. Throws HerderError. */
export async function requestFencing(connector: string, leader: LeaderAddress): Promise<void> {
  await send(leader, 'PUT', `/connectors/${encodeURIComponent(connector)}/fence`, null);
}

async function send(
  { leaderUrl, sign: signs, key, macAlgorithm, forward }: LeaderAddress,
  method: string,
  path: string,
  body: string | null,
): Promise<void> {
  if (leaderUrl === null)
    throw new HerderError(
      409,
      'Cannot complete request momentarily due to no known leader URL, likely because a rebalance was underway.',
    );
  let headers: Record<string, string> = {};
  if (signs) {
    if (key === null)
      throw new HerderError(503, 'Cannot sign the request: no session key has been read from the config topic yet');
    headers = {
      [AUTHORIZATION_HEADER]: sign(key, macAlgorithm, Buffer.from(body ?? '', 'utf8')),
      [ALGORITHM_HEADER]: macAlgorithm,
    };
  }
  await forward({ url: leaderUrl, method, path, body, headers, forward: null });
}
