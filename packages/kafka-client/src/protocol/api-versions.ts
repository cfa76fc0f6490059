import * as kafka from '@millrace/kafka-protocol';
import type { WireRequest } from '../wire';
import { request } from './api';
import { protocolError } from './protocol-error';

/** Every broker supports version 0, which is sufficient. */
export const API_VERSIONS = kafka.withVersions(kafka.API_VERSIONS, 0, 0);

export interface VersionRange {
  readonly minVersion: number;
  readonly maxVersion: number;
}

/** API key → versions of the broker. */
export function apiVersionsRequest(): WireRequest<Map<number, VersionRange>> {
  return request(API_VERSIONS, 0, {}, ({ errorCode, apiKeys }) => {
    if (errorCode !== 0) throw protocolError(errorCode, 'list its API versions');
    return new Map(apiKeys.map(({ apiKey, minVersion, maxVersion }) => [apiKey, { minVersion, maxVersion }]));
  });
}
