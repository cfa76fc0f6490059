/** Why the coordinator refused a join. */
import { KafkaError } from '../errors';
import { errorName, protocolError } from '../protocol/protocol-error';

/** Kafka's own text does not say that the group id belongs to others. */
export function joinError(errorCode: number, groupId: string, protocolType: string): KafkaError {
  const error = protocolError(errorCode, `join group '${groupId}'`);
  if (errorName(errorCode) !== 'INCONSISTENT_GROUP_PROTOCOL') return error;
  // Workers always have a protocol in common; consumers may differ in their assignors.
  return protocolType === 'connect'
    ? new KafkaError(
        'GROUP_TYPE',
        `group.id '${groupId}' is used by a consumer group or by other clients that are not Connect workers: ` +
          `set another group.id on all workers of this cluster, or stop those clients`,
        { cause: error },
      )
    : new KafkaError(
        error.code,
        `Consumer group '${groupId}' is used by Connect workers or other clients, or by consumers without a common ` +
          `partition.assignment.strategy: set another group id (a sink's consumer.override.group.id), or their strategy`,
        { cause: error },
      );
}
