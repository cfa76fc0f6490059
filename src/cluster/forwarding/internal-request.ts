/** Signed requests to the leader: to write generated task configs, and to fence tasks. Source: connect-runtime §2.7. */
import type { ConnectorConfig } from '@millrace/sdk';
import type { SessionKey } from '../../storage/config/config-records';
import { HerderError } from '../errors';
import type { ForwardRequest } from './forwarding';
import { internalMark, MARK_HEADER, type InternalRequest } from './internal-marks';
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
  await send(leader, 'POST', 'tasks', connector, JSON.stringify(configs));
}

/** Resolves when the earlier tasks of the connector are fenced. Throws HerderError. */
export async function requestFencing(connector: string, leader: LeaderAddress): Promise<void> {
  await send(leader, 'PUT', 'fence', connector, null);
}

async function send(
  { leaderUrl, sign: signs, key, macAlgorithm, forward }: LeaderAddress,
  method: string,
  kind: InternalRequest,
  connector: string,
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
    const signature = sign(key, macAlgorithm, Buffer.from(body ?? '', 'utf8'));
    headers = {
      [AUTHORIZATION_HEADER]: signature,
      [ALGORITHM_HEADER]: macAlgorithm,
      [MARK_HEADER]: internalMark(key, kind, connector, signature),
    };
  }
  const path = `/connectors/${encodeURIComponent(connector)}/${kind}`;
  await forward({ url: leaderUrl, method, path, body, headers, forward: null });
}
