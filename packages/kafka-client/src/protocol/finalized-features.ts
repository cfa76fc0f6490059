/** The features that a cluster has finalized, such as `metadata.version`. In ApiVersions since Kafka 2.7. */
import type { WireRequest } from '../wire';
import { request, type Api } from './api';
import { ByteReader, ByteWriter } from './bytes';
import { protocolError } from './protocol-error';

/**
 * Brokers answer ApiVersions with the header of the first versions, whatever the version. So the request is not
 * flexible for the network, and its body begins with the tagged fields of the request's header.
 */
export const FINALIZED_FEATURES: Api = { name: 'ApiVersions', key: 18, min: 3, max: 3, flexibleFrom: 4 };

const FEATURES_TAG = 2;
const SOFTWARE = ['millrace', '1'] as const;

/** Name → level. Empty if the cluster has none, for instance with ZooKeeper. */
export function finalizedFeaturesRequest(version: number): WireRequest<ReadonlyMap<string, number>> {
  return request(
    FINALIZED_FEATURES,
    version,
    (w) => {
      const body = new ByteWriter(true);
      body.tags();
      for (const text of SOFTWARE) body.string(text);
      body.tags();
      w.raw(body.finish());
    },
    (plain) => {
      const r = new ByteReader(plain.raw(plain.remaining), true);
      const errorCode = r.int16();
      if (errorCode !== 0) throw protocolError(errorCode, 'list its features');
      r.array(() => {
        r.raw(6);
        r.tags();
      });
      r.int32();
      return features(r);
    },
  );
}

function features(r: ByteReader): ReadonlyMap<string, number> {
  const count = r.uvarint();
  for (let i = 0; i < count; i++) {
    const tag = r.uvarint();
    const field = new ByteReader(r.raw(r.uvarint()), true);
    if (tag !== FEATURES_TAG) continue;
    return new Map(
      field.array(() => {
        const feature = [field.string(), field.int16()] as const;
        field.int16();
        field.tags();
        return feature;
      }),
    );
  }
  return new Map();
}
