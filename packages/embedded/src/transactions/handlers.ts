/** InitProducerId, AddPartitionsToTxn, AddOffsetsToTxn, EndTxn. */
import { handles, type Handler } from '../requests/handler';
import { ADD_OFFSETS_TO_TXN, ADD_PARTITIONS_TO_TXN, END_TXN, INIT_PRODUCER_ID } from '../protocol/apis/transactions';
import { ErrorCode } from '../protocol/errors';
import type { ElementOf, RequestOf } from '../protocol/layout';
import type { Partitions } from '../partitions';
import type { TransactionCoordinator } from './coordinator';

/** Before these versions clients know INVALID_PRODUCER_EPOCH instead of PRODUCER_FENCED. */
const INIT_KNOWS_FENCED = 4;
const OTHERS_KNOW_FENCED = 2;

const SEVERAL_TRANSACTIONS_FROM = 4;

type AddedPartitions = Omit<ElementOf<RequestOf<typeof ADD_PARTITIONS_TO_TXN>['transactions']>, 'verifyOnly'> & {
  /** Only asks whether they take part already. */
  readonly verifyOnly?: boolean;
};

export function transactionHandlers(
  transactions: TransactionCoordinator,
  partitions: Pick<Partitions, 'exists'>,
): [number, Handler][] {
  async function addPartitions(request: AddedPartitions, apiVersion: number) {
    const { transactionalId, producerId, producerEpoch, topics, verifyOnly = false } = request;
    const asked = topics.flatMap(({ name, partitions }) => partitions.map((partition) => ({ topic: name, partition })));
    const unknown = asked.filter((at) => !partitions.exists(at));
    const who = { producerId, epoch: producerEpoch };
    const enlarge = (): number | Promise<number> =>
      verifyOnly
        ? transactions.checkAppends(who, asked)
        : transactions.enlarge(transactionalId, who, { partitions: asked });
    // All or none: a transaction over half of what was asked for helps nobody.
    const errorCode = unknown.length > 0 ? ErrorCode.OPERATION_NOT_ATTEMPTED : await enlarge();
    const codeOf = (topic: string, partition: number): number =>
      unknown.some((at) => at.topic === topic && at.partition === partition)
        ? ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        : asKnown(errorCode, apiVersion);
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
        errorCode: asKnown(given.errorCode, apiVersion, INIT_KNOWS_FENCED),
        producerId: given.producerId,
        producerEpoch: given.epoch,
      };
    }),

    handles(ADD_PARTITIONS_TO_TXN, async ({ transactions: several, ...one }, { apiVersion }) => {
      if (apiVersion < SEVERAL_TRANSACTIONS_FROM) return { results: await addPartitions(one, apiVersion) };
      const resultsByTransaction = several.map(async (asked) => ({
        transactionalId: asked.transactionalId,
        topicResults: await addPartitions(asked, apiVersion),
      }));
      return { errorCode: ErrorCode.NONE, resultsByTransaction: await Promise.all(resultsByTransaction) };
    }),

    handles(ADD_OFFSETS_TO_TXN, async (request, { apiVersion }) => {
      const { transactionalId, producerId, producerEpoch, groupId } = request;
      if (groupId === '') return { errorCode: ErrorCode.INVALID_GROUP_ID };
      const who = { producerId, epoch: producerEpoch };
      const errorCode = await transactions.enlarge(transactionalId, who, { groups: [groupId] });
      return { errorCode: asKnown(errorCode, apiVersion) };
    }),

    handles(END_TXN, async (request, { apiVersion }) => {
      const { transactionalId, producerId, producerEpoch, committed } = request;
      const errorCode = await transactions.end(transactionalId, { producerId, epoch: producerEpoch }, committed);
      return { errorCode: asKnown(errorCode, apiVersion) };
    }),
  ];
}

function asKnown(errorCode: number, apiVersion: number, since = OTHERS_KNOW_FENCED): number {
  return errorCode === ErrorCode.PRODUCER_FENCED && apiVersion < since ? ErrorCode.INVALID_PRODUCER_EPOCH : errorCode;
}
