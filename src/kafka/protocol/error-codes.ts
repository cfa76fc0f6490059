/**
 * The protocol's error codes: number → name, and whether the same request may succeed when sent again. Source: the
 * Kafka protocol guide.
 */
import type { KafkaErrorOptions } from '../errors';
import { KafkaError } from '../errors';

export const NO_ERROR = 0;

type Row = readonly [code: number, name: string, retriable: boolean, text: string];

const ROWS: readonly Row[] = [
  [-1, 'UNKNOWN_SERVER_ERROR', false, 'the broker met an unexpected error; its own log says which'],
  [1, 'OFFSET_OUT_OF_RANGE', false, 'the offset is outside what the broker keeps'],
  [2, 'CORRUPT_MESSAGE', true, 'the message failed its checksum or has a bad size'],
  [3, 'UNKNOWN_TOPIC_OR_PARTITION', true, 'the broker does not host this topic or partition'],
  [4, 'INVALID_FETCH_SIZE', false, 'the fetch size is invalid'],
  [5, 'LEADER_NOT_AVAILABLE', true, 'the partition has no leader, an election may be going on'],
  [6, 'NOT_LEADER_OR_FOLLOWER', true, 'the broker asked is not the leader of the partition any more'],
  [7, 'REQUEST_TIMED_OUT', true, 'the broker could not finish within the time the request allows'],
  [8, 'BROKER_NOT_AVAILABLE', false, 'the broker is not available'],
  [9, 'REPLICA_NOT_AVAILABLE', true, 'the replica is not available'],
  [10, 'MESSAGE_TOO_LARGE', false, "the batch is larger than the topic's max.message.bytes"],
  [11, 'STALE_CONTROLLER_EPOCH', false, 'the controller moved'],
  [12, 'OFFSET_METADATA_TOO_LARGE', false, 'the metadata of the offset is too large'],
  [13, 'NETWORK_EXCEPTION', true, 'the broker disconnected before it answered'],
  [14, 'COORDINATOR_LOAD_IN_PROGRESS', true, 'the coordinator is still loading'],
  [15, 'COORDINATOR_NOT_AVAILABLE', true, 'the coordinator is not available'],
  [16, 'NOT_COORDINATOR', true, 'the broker asked is not the coordinator any more'],
  [17, 'INVALID_TOPIC_EXCEPTION', false, 'the topic name is not valid'],
  [18, 'RECORD_LIST_TOO_LARGE', false, "the batch is larger than the broker's segment size"],
  [19, 'NOT_ENOUGH_REPLICAS', true, 'fewer replicas are in sync than min.insync.replicas asks for'],
  [20, 'NOT_ENOUGH_REPLICAS_AFTER_APPEND', true, 'written, but to fewer replicas than min.insync.replicas asks for'],
  [21, 'INVALID_REQUIRED_ACKS', false, 'acks must be -1, 0 or 1'],
  [22, 'ILLEGAL_GENERATION', false, 'the group has moved on to another generation'],
  [23, 'INCONSISTENT_GROUP_PROTOCOL', false, 'no assignment protocol is common to all members of the group'],
  [24, 'INVALID_GROUP_ID', false, 'the group id is not valid'],
  [25, 'UNKNOWN_MEMBER_ID', false, 'the coordinator does not know this member, its session may have expired'],
  [
    26,
    'INVALID_SESSION_TIMEOUT',
    false,
    'session.timeout.ms is outside group.min.session.timeout.ms … group.max.session.timeout.ms of the broker',
  ],
  [27, 'REBALANCE_IN_PROGRESS', false, 'the group is rebalancing'],
  [28, 'INVALID_COMMIT_OFFSET_SIZE', false, 'the offset commit is too large'],
  [29, 'TOPIC_AUTHORIZATION_FAILED', false, 'this principal may not use the topic'],
  [30, 'GROUP_AUTHORIZATION_FAILED', false, 'this principal may not use the group'],
  [31, 'CLUSTER_AUTHORIZATION_FAILED', false, 'this principal may not do this to the cluster'],
  [32, 'INVALID_TIMESTAMP', false, "the record's timestamp is outside what the topic accepts"],
  [33, 'UNSUPPORTED_SASL_MECHANISM', false, 'the broker does not offer this SASL mechanism'],
  [34, 'ILLEGAL_SASL_STATE', false, 'the request is not allowed in this SASL state'],
  [35, 'UNSUPPORTED_VERSION', false, 'the broker does not support this version of the request'],
  [36, 'TOPIC_ALREADY_EXISTS', false, 'the topic exists already'],
  [37, 'INVALID_PARTITIONS', false, 'the number of partitions is not valid'],
  [
    38,
    'INVALID_REPLICATION_FACTOR',
    false,
    'the replication factor is not valid, there may be fewer brokers than replicas',
  ],
  [39, 'INVALID_REPLICA_ASSIGNMENT', false, 'the replica assignment is not valid'],
  [40, 'INVALID_CONFIG', false, 'a config is not valid'],
  [41, 'NOT_CONTROLLER', true, 'the broker asked is not the controller any more'],
  [42, 'INVALID_REQUEST', false, 'the broker does not accept the request as it is'],
  [43, 'UNSUPPORTED_FOR_MESSAGE_FORMAT', false, "the topic's message format is too old for this"],
  [44, 'POLICY_VIOLATION', false, 'a policy of the broker forbids it'],
  [45, 'OUT_OF_ORDER_SEQUENCE_NUMBER', false, 'the broker got a sequence number it did not expect'],
  [46, 'DUPLICATE_SEQUENCE_NUMBER', false, 'the broker has this sequence number already'],
  [47, 'INVALID_PRODUCER_EPOCH', false, 'a newer producer with the same transactional.id took over'],
  [48, 'INVALID_TXN_STATE', false, 'the transaction is not in a state that allows this'],
  [49, 'INVALID_PRODUCER_ID_MAPPING', false, 'the producer id does not belong to this transactional.id'],
  [50, 'INVALID_TRANSACTION_TIMEOUT', false, "transaction.timeout.ms is above the broker's transaction.max.timeout.ms"],
  [51, 'CONCURRENT_TRANSACTIONS', true, 'the previous transaction of this producer is still being completed'],
  [52, 'TRANSACTION_COORDINATOR_FENCED', false, 'the transaction coordinator was replaced'],
  [53, 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED', false, 'this principal may not use the transactional.id'],
  [54, 'SECURITY_DISABLED', false, 'the broker has security disabled'],
  [55, 'OPERATION_NOT_ATTEMPTED', false, 'not attempted, another operation of the same request failed'],
  [56, 'KAFKA_STORAGE_ERROR', true, 'the broker has a disk problem'],
  [57, 'LOG_DIR_NOT_FOUND', false, 'the log directory is not known'],
  [58, 'SASL_AUTHENTICATION_FAILED', false, 'the broker refused the SASL credentials'],
  [59, 'UNKNOWN_PRODUCER_ID', false, 'the broker has forgotten this producer id'],
  [60, 'REASSIGNMENT_IN_PROGRESS', false, 'a reassignment is in progress'],
  [64, 'DELEGATION_TOKEN_EXPIRED', false, 'the delegation token expired'],
  [67, 'INVALID_PRINCIPAL_TYPE', false, 'the principal type is not supported'],
  [68, 'NON_EMPTY_GROUP', false, 'the group has members; stop them first'],
  [69, 'GROUP_ID_NOT_FOUND', false, 'the group does not exist'],
  [70, 'FETCH_SESSION_ID_NOT_FOUND', true, 'the fetch session is gone'],
  [71, 'INVALID_FETCH_SESSION_EPOCH', true, 'the fetch session epoch is not valid'],
  [72, 'LISTENER_NOT_FOUND', true, 'the leader has no listener of this name'],
  [73, 'TOPIC_DELETION_DISABLED', false, 'the broker does not allow topics to be deleted (delete.topic.enable)'],
  [74, 'FENCED_LEADER_EPOCH', true, 'the leader epoch known here is old'],
  [75, 'UNKNOWN_LEADER_EPOCH', true, 'the leader epoch known here is newer than the one of the broker'],
  [76, 'UNSUPPORTED_COMPRESSION_TYPE', false, 'the broker does not support this compression.type'],
  [77, 'STALE_BROKER_EPOCH', false, 'the broker epoch is old'],
  [78, 'OFFSET_NOT_AVAILABLE', true, 'the leader cannot tell the offset yet'],
  [79, 'MEMBER_ID_REQUIRED', false, 'the group member must join again with the id it was given'],
  [80, 'PREFERRED_LEADER_NOT_AVAILABLE', true, 'the preferred leader is not available'],
  [81, 'GROUP_MAX_SIZE_REACHED', false, 'the group has group.max.size members already'],
  [82, 'FENCED_INSTANCE_ID', false, 'another member with the same group.instance.id took over'],
  [83, 'ELIGIBLE_LEADERS_NOT_AVAILABLE', true, 'no leader can be elected'],
  [84, 'ELECTION_NOT_NEEDED', true, 'no election is needed'],
  [85, 'NO_REASSIGNMENT_IN_PROGRESS', false, 'no reassignment is in progress'],
  [86, 'GROUP_SUBSCRIBED_TO_TOPIC', false, 'the group is subscribed to the topic; stop its members first'],
  [87, 'INVALID_RECORD', false, 'the broker refused a record, a compacted topic needs a key'],
  [88, 'UNSTABLE_OFFSET_COMMIT', true, 'offsets of an open transaction are pending'],
  [89, 'THROTTLING_QUOTA_EXCEEDED', true, 'a quota of the broker is exceeded'],
  [90, 'PRODUCER_FENCED', false, 'a newer producer with the same transactional.id took over'],
  [91, 'RESOURCE_NOT_FOUND', false, 'the resource does not exist'],
  [92, 'DUPLICATE_RESOURCE', false, 'the resource is listed twice'],
  [93, 'UNACCEPTABLE_CREDENTIAL', false, 'the credential is not acceptable'],
  [94, 'INCONSISTENT_VOTER_SET', false, 'the voter set is inconsistent'],
  [95, 'INVALID_UPDATE_VERSION', false, 'the update version is not valid'],
  [96, 'FEATURE_UPDATE_FAILED', false, 'the feature could not be updated'],
  [97, 'PRINCIPAL_DESERIALIZATION_FAILURE', false, 'the principal cannot be read'],
  [100, 'UNKNOWN_TOPIC_ID', true, 'the broker does not know this topic id'],
  [103, 'INCONSISTENT_TOPIC_ID', true, 'the topic id does not match, the topic may have been created anew'],
  [105, 'TRANSACTIONAL_ID_NOT_FOUND', false, 'the transactional.id is not known'],
  [106, 'FETCH_SESSION_TOPIC_ID_ERROR', true, 'the fetch session mixes topic ids and names'],
  [110, 'FENCED_MEMBER_EPOCH', false, 'the member epoch is fenced'],
  [111, 'UNRELEASED_INSTANCE_ID', false, 'the group.instance.id is still in use by another member'],
  [112, 'UNSUPPORTED_ASSIGNOR', false, 'the assignor is not supported'],
  [113, 'STALE_MEMBER_EPOCH', false, 'the member epoch is old'],
  [120, 'TRANSACTION_ABORTABLE', false, 'the transaction must be aborted'],
];

const FENCED = new Set([
  'INVALID_PRODUCER_EPOCH',
  'PRODUCER_FENCED',
  'FENCED_INSTANCE_ID',
  'TRANSACTION_COORDINATOR_FENCED',
]);
const ABORTABLE = new Set(['TRANSACTION_ABORTABLE']);

const BY_CODE = new Map(ROWS.map((row) => [row[0], row]));

export function errorName(code: number): string {
  return BY_CODE.get(code)?.[1] ?? `UNKNOWN_ERROR_CODE_${code}`;
}

/**
 * `doing` finishes "Kafka could not …", for example `join group 'g'`; `detail` is the broker's own message where the
 * protocol carries one.
 */
export function protocolError(
  code: number,
  doing: string,
  options: Omit<KafkaErrorOptions, 'retriable'> & { detail?: string | null } = {},
): KafkaError {
  const { detail, ...rest } = options;
  const row = BY_CODE.get(code);
  const name = errorName(code);
  const text = detail != null && detail !== '' ? detail : (row?.[3] ?? `the broker answered with error code ${code}`);
  return new KafkaError(name, `Kafka could not ${doing}: ${text} (${name})`, {
    fenced: FENCED.has(name),
    abortable: ABORTABLE.has(name),
    ...rest,
    retriable: row?.[2] ?? false,
  });
}
