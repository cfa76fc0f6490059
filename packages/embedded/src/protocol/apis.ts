/** The APIs that this broker serves, with the lowest and the highest version of each. Source: kafka-client §4. */
import * as kafka from '@millrace/kafka-protocol';

export interface ServedApi {
  readonly api: kafka.Api;
  readonly versions: readonly [number, number];
}

const SERVED: readonly ServedApi[] = [
  { api: kafka.PRODUCE, versions: [3, 9] },
  { api: kafka.FETCH, versions: [4, 13] },
  { api: kafka.LIST_OFFSETS, versions: [1, 10] },
  { api: kafka.METADATA, versions: [0, 12] },
  { api: kafka.OFFSET_COMMIT, versions: [2, 10] },
  { api: kafka.OFFSET_FETCH, versions: [1, 8] },
  { api: kafka.FIND_COORDINATOR, versions: [0, 4] },
  { api: kafka.JOIN_GROUP, versions: [0, 9] },
  { api: kafka.HEARTBEAT, versions: [0, 4] },
  { api: kafka.LEAVE_GROUP, versions: [0, 5] },
  { api: kafka.SYNC_GROUP, versions: [0, 5] },
  { api: kafka.DESCRIBE_GROUPS, versions: [0, 5] },
  { api: kafka.LIST_GROUPS, versions: [0, 4] },
  { api: kafka.SASL_HANDSHAKE, versions: [0, 1] },
  { api: kafka.API_VERSIONS, versions: [0, 3] },
  { api: kafka.CREATE_TOPICS, versions: [2, 7] },
  { api: kafka.DELETE_TOPICS, versions: [1, 6] },
  { api: kafka.DELETE_RECORDS, versions: [0, 2] },
  { api: kafka.INIT_PRODUCER_ID, versions: [0, 5] },
  { api: kafka.OFFSET_FOR_LEADER_EPOCH, versions: [2, 4] },
  { api: kafka.ADD_PARTITIONS_TO_TXN, versions: [0, 5] },
  { api: kafka.ADD_OFFSETS_TO_TXN, versions: [0, 4] },
  { api: kafka.END_TXN, versions: [0, 4] },
  { api: kafka.WRITE_TXN_MARKERS, versions: [1, 1] },
  { api: kafka.TXN_OFFSET_COMMIT, versions: [0, 4] },
  { api: kafka.DESCRIBE_CONFIGS, versions: [1, 4] },
  { api: kafka.ALTER_CONFIGS, versions: [0, 2] },
  { api: kafka.DESCRIBE_LOG_DIRS, versions: [1, 4] },
  { api: kafka.SASL_AUTHENTICATE, versions: [0, 2] },
  { api: kafka.CREATE_PARTITIONS, versions: [0, 3] },
  { api: kafka.DELETE_GROUPS, versions: [0, 2] },
  { api: kafka.INCREMENTAL_ALTER_CONFIGS, versions: [0, 1] },
  { api: kafka.OFFSET_DELETE, versions: [0, 0] },
  { api: kafka.DESCRIBE_CLUSTER, versions: [0, 1] },
  { api: kafka.DESCRIBE_PRODUCERS, versions: [0, 0] },
  { api: kafka.DESCRIBE_TRANSACTIONS, versions: [0, 0] },
  { api: kafka.LIST_TRANSACTIONS, versions: [0, 1] },
];

/** By API key. */
export const SERVED_APIS: ReadonlyMap<number, ServedApi> = new Map(SERVED.map((served) => [served.api.key, served]));
