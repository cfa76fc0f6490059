import type { WireRequest } from '../wire';
import { request, type Api } from './api';

/** Event Hubs supports up to v5. v4 can disable auto-creation, v7 has leader epochs. */
export const METADATA: Api = { name: 'Metadata', key: 3, min: 4, max: 8, flexibleFrom: 9 };

export interface MetadataPartition {
  readonly errorCode: number;
  readonly partition: number;
  readonly leader: number;
  /** -1 in versions without epochs. */
  readonly leaderEpoch: number;
  readonly replicas: readonly number[];
}

export interface MetadataResponse {
  readonly brokers: readonly { readonly id: number; readonly host: string; readonly port: number }[];
  readonly clusterId: string | null;
  readonly controllerId: number;
  readonly topics: readonly {
    readonly errorCode: number;
    readonly name: string;
    readonly internal: boolean;
    readonly partitions: readonly MetadataPartition[];
  }[];
}

/** `topics` null: all topics; empty: only the brokers. */
export function metadataRequest(
  version: number,
  topics: readonly string[] | null,
  allowAutoCreate: boolean,
): WireRequest<MetadataResponse> {
  return request(
    METADATA,
    version,
    (w) => {
      w.nullableArray(topics, (topic) => w.string(topic)).boolean(allowAutoCreate);
      if (version >= 8) w.boolean(false).boolean(false);
    },
    (r) => {
      r.int32();
      const brokers = r.array(() => {
        const broker = { id: r.int32(), host: r.string(), port: r.int32() };
        r.nullableString();
        return broker;
      });
      const clusterId = r.nullableString();
      const controllerId = r.int32();
      const topics = r.array(() => {
        const errorCode = r.int16();
        const name = r.string();
        const internal = r.boolean();
        const partitions = r.array(() => {
          const errorCode = r.int16();
          const partition = r.int32();
          const leader = r.int32();
          const leaderEpoch = version >= 7 ? r.int32() : -1;
          const replicas = r.array(() => r.int32());
          r.array(() => r.int32());
          if (version >= 5) r.array(() => r.int32());
          return { errorCode, partition, leader, leaderEpoch, replicas };
        });
        if (version >= 8) r.int32();
        return { errorCode, name, internal, partitions };
      });
      return { brokers, clusterId, controllerId, topics };
    },
  );
}
