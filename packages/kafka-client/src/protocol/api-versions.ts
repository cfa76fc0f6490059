import type { WireRequest } from '../wire';
import { request, type Api } from './api';
import { protocolError } from './protocol-error';

/** Every broker supports version 0, which is sufficient. */
export const API_VERSIONS: Api = { name: 'ApiVersions', key: 18, min: 0, max: 0, flexibleFrom: 3 };

export interface VersionRange {
  readonly minVersion: number;
  readonly maxVersion: number;
}

/** API key → versions of the broker. */
export function apiVersionsRequest(): WireRequest<Map<number, VersionRange>> {
  return request(
    API_VERSIONS,
    0,
    () => undefined,
    (r) => {
      const errorCode = r.int16();
      if (errorCode !== 0) throw protocolError(errorCode, 'list its API versions');
      return new Map(
        r.array(() => [r.int16(), { minVersion: r.int16(), maxVersion: r.int16() }] as [number, VersionRange]),
      );
    },
  );
}
