import type { WireRequest } from '../wire';
import { request, type Api } from './api';

/** Event Hubs supports up to v5. v4 can disable auto-creation, v7 has leader epochs, v10 has topic ids. */
export const METADATA: Api = { name: 'Metadata', key: 3, min: 4, max: 12, flexibleFrom: 9 };

const NO_UUID = '0'.repeat(32);

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
    /** Differs after the topic was deleted and created again. Absent in versions without ids. */
    readonly id?: string;
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
      w.nullableArray(topics, (topic) => {
        if (version >= 10) w.uuid(NO_UUID);
        w.string(topic).tags();
      }).boolean(allowAutoCreate);
      if (version >= 8 && version <= 10) w.boolean(false);
      if (version >= 8) w.boolean(false);
      w.tags();
    },
    (r) => {
      r.int32();
      const brokers = r.array(() => {
        const broker = { id: r.int32(), host: r.string(), port: r.int32() };
        r.nullableString();
        r.tags();
        return broker;
      });
      const clusterId = r.nullableString();
      const controllerId = r.int32();
      const topics = r.array(() => {
        const errorCode = r.int16();
        const name = r.string();
        const id = version >= 10 ? r.uuid() : NO_UUID;
        const internal = r.boolean();
        const partitions = r.array(() => {
          const errorCode = r.int16();
          const partition = r.int32();
          const leader = r.int32();
          const leaderEpoch = version >= 7 ? r.int32() : -1;
          const replicas = r.array(() => r.int32());
          r.array(() => r.int32());
          if (version >= 5) r.array(() => r.int32());
          r.tags();
          return { errorCode, partition, leader, leaderEpoch, replicas };
        });
        if (version >= 8) r.int32();
        r.tags();
        return { errorCode, name, ...(id !== NO_UUID && { id }), internal, partitions };
      });
      return { brokers, clusterId, controllerId, topics };
    },
  );
}
