/** InitProducerId, AddPartitionsToTxn, AddOffsetsToTxn, EndTxn. */
import { handles, type Handler } from '../requests/handler';
import {
  ADD_OFFSETS_TO_TXN,
  ADD_PARTITIONS_TO_TXN,
  END_TXN,
  INIT_PRODUCER_ID,
  type ElementOf,
  type RequestOf,
} from '@millrace/kafka-protocol';
import { ErrorCode } from '../protocol/errors';
import type { Partitions } from '../partitions';
import type { TransactionCoordinator } from './coordinator';

/** Clients with older versions expect INVALID_PRODUCER_EPOCH instead of PRODUCER_FENCED. */
const INIT_FENCED_SINCE_VERSION = 4;
const FENCED_SINCE_VERSION = 2;

const BATCHED_SINCE_VERSION = 4;

type AddedPartitions = Omit<ElementOf<RequestOf<typeof ADD_PARTITIONS_TO_TXN>['transactions']>, 'verifyOnly'> & {
  /** Only checks that the partitions are part of the transaction. */
  readonly verifyOnly?: boolean;
};

export function transactionHandlers(
  transactions: TransactionCoordinator,
  partitions: Pick<Partitions, 'exists'>,
): [number, Handler][] {
  async function addPartitions(request: AddedPartitions, apiVersion: number) {
    const { transactionalId, producerId, producerEpoch, topics, verifyOnly = false } = request;
    const requested = topics.flatMap(({ name, partitions }) =>
      partitions.map((partition) => ({ topic: name, partition })),
    );
    const unknown = requested.filter((at) => !partitions.exists(at));
    const producer = { producerId, epoch: producerEpoch };
    const addOrVerify = (): number | Promise<number> =>
      verifyOnly
        ? transactions.checkAppends(producer, requested)
        : transactions.add(transactionalId, producer, { partitions: requested });
    // All or none: a transaction with only some of the partitions is of no use to the producer.
    const errorCode = unknown.length > 0 ? ErrorCode.OPERATION_NOT_ATTEMPTED : await addOrVerify();
    const codeOf = (topic: string, partition: number): number =>
      unknown.some((at) => at.topic === topic && at.partition === partition)
        ? ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        : supportedError(errorCode, apiVersion);
    return topics.map(({ name, partitions }) => ({
      name,
      results: partitions.map((partitionIndex) => ({ partitionIndex, errorCode: codeOf(name, partitionIndex) })),
    }));
  }

  return [
    handles(INIT_PRODUCER_ID, async (request, { apiVersion }) => {
      const { transactionalId, transactionTimeoutMs, producerId, producerEpoch } = request;
      const expected = producerId === -1 ? null : { producerId, epoch: producerEpoch };
      const given = await transactions.initProducer(transactionalId, transactionTimeoutMs, expected);
      return {
        errorCode: supportedError(given.errorCode, apiVersion, INIT_FENCED_SINCE_VERSION),
        producerId: given.producerId,
        producerEpoch: given.epoch,
      };
    }),

    handles(ADD_PARTITIONS_TO_TXN, async ({ transactions: batched, ...single }, { apiVersion }) => {
      if (apiVersion < BATCHED_SINCE_VERSION) return { results: await addPartitions(single, apiVersion) };
      const resultsByTransaction = batched.map(async (requested) => ({
        transactionalId: requested.transactionalId,
        topicResults: await addPartitions(requested, apiVersion),
      }));
      return { errorCode: ErrorCode.NONE, resultsByTransaction: await Promise.all(resultsByTransaction) };
    }),

    handles(ADD_OFFSETS_TO_TXN, async (request, { apiVersion }) => {
      const { transactionalId, producerId, producerEpoch, groupId } = request;
      if (groupId === '') return { errorCode: ErrorCode.INVALID_GROUP_ID };
      const producer = { producerId, epoch: producerEpoch };
      const errorCode = await transactions.add(transactionalId, producer, { groups: [groupId] });
      return { errorCode: supportedError(errorCode, apiVersion) };
    }),

    handles(END_TXN, async (request, { apiVersion }) => {
      const { transactionalId, producerId, producerEpoch, committed } = request;
      const errorCode = await transactions.end(transactionalId, { producerId, epoch: producerEpoch }, committed);
      return { errorCode: supportedError(errorCode, apiVersion) };
    }),
  ];
}

function supportedError(errorCode: number, apiVersion: number, since = FENCED_SINCE_VERSION): number {
  return errorCode === ErrorCode.PRODUCER_FENCED && apiVersion < since ? ErrorCode.INVALID_PRODUCER_EPOCH : errorCode;
}
