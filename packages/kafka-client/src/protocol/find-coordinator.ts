import * as kafka from '@millrace/kafka-protocol';
import type { WireRequest } from '../wire';
import { request } from './api';

export const FIND_COORDINATOR = kafka.withVersions(kafka.FIND_COORDINATOR, 1, 2);

export interface FoundCoordinator {
  readonly errorCode: number;
  readonly errorMessage: string | null;
  readonly nodeId: number;
  readonly host: string;
  readonly port: number;
}

export function findCoordinatorRequest(
  version: number,
  type: 'group' | 'transaction',
  key: string,
): WireRequest<FoundCoordinator> {
  const keyType = type === 'group' ? 0 : 1;
  return request(FIND_COORDINATOR, version, { key, keyType }, ({ errorCode, errorMessage, nodeId, host, port }) => ({
    ...{ errorCode, errorMessage, nodeId, host, port },
  }));
}
