import type { WireRequest } from '../wire';
import { request, type Api } from './api';

export const FIND_COORDINATOR: Api = { name: 'FindCoordinator', key: 10, min: 1, max: 2, flexibleFrom: 3 };

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
  return request(
    FIND_COORDINATOR,
    version,
    (w) => w.string(key).int8(type === 'group' ? 0 : 1),
    (r) => {
      r.int32();
      return {
        errorCode: r.int16(),
        errorMessage: r.nullableString(),
        nodeId: r.int32(),
        host: r.string(),
        port: r.int32(),
      };
    },
  );
}
