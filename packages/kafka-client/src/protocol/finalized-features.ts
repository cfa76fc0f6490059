/** The features that a cluster has finalized, such as `metadata.version`. In ApiVersions since Kafka 2.7. */
import * as kafka from '@millrace/kafka-protocol';
import type { WireRequest } from '../wire';
import { request } from './api';
import { protocolError } from './protocol-error';

export const FINALIZED_FEATURES = kafka.withVersions(kafka.API_VERSIONS, 3, 3);

const SOFTWARE = { clientSoftwareName: 'millrace', clientSoftwareVersion: '1' };

/** Name → level. Empty if the cluster has none, for instance with ZooKeeper. */
export function finalizedFeaturesRequest(version: number): WireRequest<ReadonlyMap<string, number>> {
  return request(FINALIZED_FEATURES, version, SOFTWARE, ({ errorCode, finalizedFeatures }) => {
    if (errorCode !== 0) throw protocolError(errorCode, 'list its features');
    return new Map(finalizedFeatures.map(({ name, maxVersionLevel }) => [name, maxVersionLevel]));
  });
}
