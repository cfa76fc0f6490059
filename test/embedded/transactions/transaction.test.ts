/** Kafka's state machine of a transactional id, decision by decision (kafka-client §4). */
import { ErrorCode } from '../../../packages/embedded/src/protocol/errors';
import {
  complete,
  end,
  add,
  fence,
  initProducer,
  newTransaction,
  type Transaction,
  type TransactionState,
} from '../../../packages/embedded/src/transactions/transaction';

const ME = { producerId: 5, epoch: 3 };
const at = (state: TransactionState, more: Partial<Transaction> = {}): Transaction => ({
  ...newTransaction(5, 60_000),
  epoch: 3,
  state,
  ...more,
});
const { CONCURRENT_TRANSACTIONS, INVALID_PRODUCER_ID_MAPPING, INVALID_TXN_STATE, PRODUCER_FENCED } = ErrorCode;
const told = (decision: Transaction | number | string): unknown =>
  typeof decision === 'object' ? `${decision.state} ${decision.producerId}/${decision.epoch}` : decision;

describe('a producer starts', () => {
  it.each<[TransactionState, unknown]>([
    ['Empty', 'Empty 5/4'],
    ['Ongoing', 'abort'],
    ['PrepareCommit', CONCURRENT_TRANSACTIONS],
    ['PrepareAbort', CONCURRENT_TRANSACTIONS],
    ['CompleteCommit', 'Empty 5/4'],
    ['CompleteAbort', 'Empty 5/4'],
  ])('as a new process, in %s', (state, decision) => {
    expect(told(initProducer(at(state), 60_000, null))).toBe(decision);
  });

  it('again, with its own id and epoch: the epoch is bumped once, however often the request is repeated', () => {
    const next = initProducer(at('CompleteAbort'), 60_000, ME) as Transaction;
    expect(told(next)).toBe('Empty 5/4');
    expect(initProducer(next, 60_000, ME)).toBe(next);
    expect(told(initProducer(next, 60_000, { producerId: 5, epoch: 4 }))).toBe('Empty 5/5');
  });

  it('again, with an id and epoch that a successor has replaced: PRODUCER_FENCED', () => {
    const next = initProducer(at('Empty'), 60_000, null) as Transaction;
    expect(initProducer(next, 60_000, ME)).toBe(PRODUCER_FENCED);
    expect(initProducer(next, 60_000, { producerId: 6, epoch: 4 })).toBe(PRODUCER_FENCED);
  });

  it('with its epochs used up: another id', () => {
    expect(initProducer(at('Empty', { epoch: 32_766 }), 60_000, null)).toBe('new-id');
    expect(told(initProducer(at('Empty', { epoch: 32_765 }), 60_000, null))).toBe('Empty 5/32766');
  });

  it('uses the timeout of the request', () => {
    expect(initProducer(at('Empty'), 1_234, null)).toMatchObject({ timeoutMs: 1_234 });
  });
});

describe('partitions and groups join', () => {
  const t0 = { topic: 't', partition: 0 };
  const t1 = { topic: 't', partition: 1 };

  it.each<[TransactionState, unknown]>([
    ['Empty', 'Ongoing 5/3'],
    ['Ongoing', 'Ongoing 5/3'],
    ['PrepareCommit', CONCURRENT_TRANSACTIONS],
    ['PrepareAbort', CONCURRENT_TRANSACTIONS],
    ['CompleteCommit', 'Ongoing 5/3'],
    ['CompleteAbort', 'Ongoing 5/3'],
  ])('in %s', (state, decision) => {
    expect(told(add(at(state), ME, { partitions: [t0] }, 1))).toBe(decision);
  });

  it('each once, and the clock runs from the first', () => {
    const one = add(at('Empty'), ME, { partitions: [t0] }, 100) as Transaction;
    const two = add(one, ME, { partitions: [t0, t1], groups: ['g'] }, 200) as Transaction;
    expect(two).toMatchObject({ startedAt: 100, partitions: [t0, t1], groups: ['g'] });
    expect(add(two, ME, { partitions: [t1], groups: ['g'] }, 300)).toBe(two);
  });

  it('not for others', () => {
    expect(add(at('Ongoing'), { producerId: 6, epoch: 3 }, {}, 1)).toBe(INVALID_PRODUCER_ID_MAPPING);
    expect(add(at('Ongoing'), { producerId: 5, epoch: 2 }, {}, 1)).toBe(PRODUCER_FENCED);
  });
});

describe('it ends', () => {
  it.each<[TransactionState, unknown, unknown]>([
    ['Empty', INVALID_TXN_STATE, INVALID_TXN_STATE],
    ['Ongoing', 'PrepareCommit 5/3', 'PrepareAbort 5/3'],
    ['PrepareCommit', CONCURRENT_TRANSACTIONS, INVALID_TXN_STATE],
    ['PrepareAbort', INVALID_TXN_STATE, CONCURRENT_TRANSACTIONS],
    ['CompleteCommit', 'CompleteCommit 5/3', INVALID_TXN_STATE],
    ['CompleteAbort', INVALID_TXN_STATE, 'CompleteAbort 5/3'],
  ])('from %s', (state, committed, aborted) => {
    expect(told(end(at(state), ME, true))).toBe(committed);
    expect(told(end(at(state), ME, false))).toBe(aborted);
  });

  it('not by others', () => {
    expect(end(at('Ongoing'), { producerId: 5, epoch: 2 }, true)).toBe(PRODUCER_FENCED);
    expect(end(at('Ongoing'), { producerId: 6, epoch: 3 }, true)).toBe(INVALID_PRODUCER_ID_MAPPING);
  });

  it('by fencing: the next epoch aborts, and the old one is fenced', () => {
    const fenced = fence(at('Ongoing', { previous: { producerId: 5, epoch: 2 } }));
    expect(told(fenced)).toBe('PrepareAbort 5/4');
    expect(initProducer(complete(fenced), 60_000, ME)).toBe(PRODUCER_FENCED);
  });

  it('completely: partitions, groups and timeout are cleared', () => {
    const ongoing = add(at('Empty'), ME, { partitions: [{ topic: 't', partition: 0 }], groups: ['g'] }, 7);
    const prepared = end(ongoing as Transaction, ME, true) as Transaction;
    expect(complete(prepared)).toMatchObject({ state: 'CompleteCommit', partitions: [], groups: [], startedAt: -1 });
    expect(told(complete(fence(at('Ongoing'))))).toBe('CompleteAbort 5/4');
  });
});
