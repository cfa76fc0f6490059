/** ListTransactions, DescribeTransactions, and WriteTxnMarkers, which `kafka-transactions abort` uses. */
import type { Clock } from '../clock';
import { handles, type Handler } from '../requests/handler';
import type { Partitions } from '../partitions';
import { DESCRIBE_TRANSACTIONS, LIST_TRANSACTIONS, WRITE_TXN_MARKERS } from '@millrace/kafka-protocol';
import { ErrorCode } from '../protocol/errors';
import type { TransactionCoordinator } from './coordinator';
import { TRANSACTION_STATES, type Transaction } from './transaction';

export function transactionInspectionHandlers(
  transactions: Pick<TransactionCoordinator, 'all'>,
  partitions: Partitions,
  clock: Clock,
): [number, Handler][] {
  return [
    handles(LIST_TRANSACTIONS, ({ stateFilters, producerIdFilters, durationFilter }) => {
      const states: readonly string[] = TRANSACTION_STATES;
      const isWanted = ({ state, producerId, startedAt }: Transaction): boolean =>
        (stateFilters.length === 0 || stateFilters.includes(state)) &&
        (producerIdFilters.length === 0 || producerIdFilters.includes(producerId)) &&
        (durationFilter < 0 || (startedAt >= 0 && clock.now() - startedAt > durationFilter));
      return {
        errorCode: ErrorCode.NONE,
        unknownStateFilters: stateFilters.filter((state) => !states.includes(state)),
        transactionStates: [...transactions.all()]
          .filter(([, transaction]) => isWanted(transaction))
          .map(([transactionalId, { producerId, state }]) => ({
            transactionalId,
            producerId,
            transactionState: state,
          })),
      };
    }),

    handles(DESCRIBE_TRANSACTIONS, ({ transactionalIds }) => {
      const all = new Map(transactions.all());
      return {
        transactionStates: transactionalIds.map((transactionalId) => {
          const found = all.get(transactionalId);
          if (!found) return { transactionalId, errorCode: ErrorCode.TRANSACTIONAL_ID_NOT_FOUND };
          return { transactionalId, errorCode: ErrorCode.NONE, ...describe(found) };
        }),
      };
    }),

    handles(WRITE_TXN_MARKERS, async ({ markers }) => ({
      markers: await Promise.all(
        markers.map(async ({ producerId, producerEpoch, transactionResult, topics }) => ({
          producerId,
          topics: await Promise.all(
            topics.map(async ({ name, partitionIndexes }) => ({
              name,
              partitions: await Promise.all(
                partitionIndexes.map(async (partitionIndex) => {
                  const at = { topic: name, partition: partitionIndex };
                  if (!partitions.exists(at))
                    return { partitionIndex, errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION };
                  await partitions.appendMarker(at, { producerId, producerEpoch, committed: transactionResult });
                  return { partitionIndex, errorCode: ErrorCode.NONE };
                }),
              ),
            })),
          ),
        })),
      ),
    })),
  ];
}

function describe({ state, timeoutMs, startedAt, producerId, epoch, partitions }: Transaction) {
  const topics = new Map<string, number[]>();
  for (const { topic, partition } of partitions) topics.set(topic, [...(topics.get(topic) ?? []), partition]);
  return {
    transactionState: state,
    transactionTimeoutMs: timeoutMs,
    transactionStartTimeMs: startedAt,
    producerId,
    producerEpoch: epoch,
    topics: [...topics].map(([topic, numbers]) => ({ topic, partitions: numbers })),
  };
}
