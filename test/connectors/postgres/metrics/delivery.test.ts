import { Delivery } from '../../../../connectors/postgres/src/metrics/delivery';

const at = (commit: number, index: number) => ({ lsn: 1, lsn_commit: commit, tx_event_index: index });

test('nothing returned: no lag', () => {
  const delivery = new Delivery();
  expect([delivery.complete, delivery.oldestReturned, delivery.oldestCommitted]).toEqual([true, 0, 0]);
});

test('cdc-postgres 112: the oldest change counts while nothing is stored', () => {
  const delivery = new Delivery();
  delivery.returned(at(10, 5), 900, 1000);
  delivery.returned(at(20, 1), 1500, 2000);
  expect([delivery.oldestReturned, delivery.oldestCommitted]).toEqual([1000, 900]);
});

test('an offset covers the batches up to it, within a transaction and beyond', () => {
  const delivery = new Delivery();
  delivery.returned(at(10, 5), 0, 1000);
  delivery.returned(at(10, 9), 0, 2000);
  delivery.returned(at(20, 1), 0, 3000);
  delivery.stored(at(10, 4));
  expect(delivery.oldestReturned).toBe(1000);
  delivery.stored(at(10, 5));
  expect(delivery.oldestReturned).toBe(2000);
  delivery.stored(at(20, 0));
  expect(delivery.oldestReturned).toBe(3000);
  expect(delivery.complete).toBe(false);
  delivery.stored(at(20, 1));
  expect([delivery.complete, delivery.oldestReturned]).toEqual([true, 0]);
});

test('the offset of a heartbeat, which lies between transactions, covers what was before it', () => {
  const delivery = new Delivery();
  delivery.returned(at(10, 5), 0, 1000);
  delivery.stored({ lsn: 30, lsn_commit: 30 });
  expect(delivery.complete).toBe(true);
});

test('a long stall takes bounded memory, and the oldest batch stays known', () => {
  const delivery = new Delivery();
  for (let i = 0; i < 100_000; i++) delivery.returned(at(i, 1), i * 1000, i * 1000 + 1);
  expect((delivery as unknown as { samples: unknown[] }).samples.length).toBeLessThanOrEqual(512);
  expect(delivery.oldestReturned).toBe(1);
  delivery.stored(at(99_999, 0));
  expect(delivery.complete).toBe(false);
  delivery.stored(at(99_999, 1));
  expect(delivery.complete).toBe(true);
});
