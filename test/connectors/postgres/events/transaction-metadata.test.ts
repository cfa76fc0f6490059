/** Counts of transactions of thousands of tables in offsets (cdc-postgres §6.1). */
import { deflateRawSync } from 'node:zlib';
import type { SourceOffset } from '@millrace/sdk';
import { postgresConnector } from '../../../../connectors/postgres/src/connector';
import { lsn } from '../../../../connectors/postgres/src/database/lsn';
import { TransactionMetadata } from '../../../../connectors/postgres/src/events/transaction-metadata';

const KIB = 1024;
const TX = { xid: 898, time: { millis: 0 }, finalLsn: lsn(0, 1) };
const COMPRESSED = 'transaction_compressed_orders';

const metadata = (): TransactionMetadata =>
  new TransactionMetadata({ topic: 'f.transaction', idFormat: 'debezium3' }, { layout: { versioned: true } } as never);
/** Two events for the first table, one for each other. */
const counted = (tables: number, name: (i: number) => string): TransactionMetadata => {
  const counts = metadata();
  counts.begin(TX);
  for (let i = 0; i < tables; i++) counts.event(TX, name(i), lsn(0, 1));
  counts.event(TX, name(0), lsn(0, 1));
  return counts;
};
const offsetOf = (counts: TransactionMetadata, others: SourceOffset = {}): SourceOffset => {
  const offset = { ...others };
  counts.addTo(offset);
  return offset;
};
const orderName = (i: number): string => `shop_${i % 7}.orders_of_tenant_${i}`;
/** Names that do not compress: distinct digits in base 36. */
const hashName = (i: number): string => {
  let text = '';
  for (let seed = i + 1, n = 0; n < 5; n++) {
    seed = (Math.imul(seed, 1664525) + 1013904223 + n) >>> 0;
    text += seed.toString(36);
  }
  return `s.${text}_${i}`;
};
const list = { incremental_snapshot_collections: 'x'.repeat(768 * KIB - 2) };

test('cdc-postgres 43: a transaction that changes 15,000 tables has offsets that can be stored', () => {
  const before = counted(15_000, orderName);
  const offset = offsetOf(before, list);
  expect(Buffer.byteLength(JSON.stringify(offset))).toBeLessThan(KIB * KIB);
  expect(Object.keys(offset)).toEqual([...Object.keys(list), 'transaction_id', COMPRESSED]);
  // Without a list there is room for names that do not compress.
  const hashed = offsetOf(counted(15_000, hashName));
  expect(Buffer.byteLength(JSON.stringify(hashed))).toBeLessThan(KIB * KIB);

  const after = metadata();
  after.restore(offset);
  expect(after.continues(898)).toBe(true);
  expect(after.collections).toBe(15_000);
  const next = { id: '898:2', total_order: 15_002, data_collection_order: 3 };
  expect(after.event(TX, orderName(0), lsn(0, 2))).toEqual(next);
  expect(before.event(TX, orderName(0), lsn(0, 2))).toEqual(next);
  expect(offsetOf(after)).toEqual(offsetOf(before));
  expect(postgresConnector.alterOffsets?.({}, [[{ server: 'f' }, offset]], 'alter')).toBe(false);
});

test('cdc-postgres 43: counts of fewer tables stay as Debezium has them', () => {
  const offset = offsetOf(counted(2000, orderName));
  expect(Object.keys(offset)).toHaveLength(2001);
  expect(offset['transaction_data_collection_order_shop_0.orders_of_tenant_0']).toBe(2);
  const after = metadata();
  after.restore(offset);
  expect(after.event(TX, orderName(1), lsn(0, 2))).toMatchObject({ total_order: 2002, data_collection_order: 2 });
});

test('cdc-postgres 43: counts that fit in no offset fail the task', () => {
  const counts = counted(15_000, hashName);
  expect(() => offsetOf(counts, list)).toThrow(
    expect.objectContaining({
      code: 'PG_OFFSET_TOO_LARGE',
      message: expect.stringMatching(
        /^Transaction 898 has changed 15000 tables so far: their counts take \d+ bytes of an offset, which has room for \d+\. Set provide\.transaction\.metadata=false/,
      ),
    }),
  );
});

const packed = (text: string): string => deflateRawSync(text).toString('base64');

test.each<[string, SourceOffset[string]]>([
  ['is not a text', 7],
  ['unexpected end of file', packed('[["public.a",1]]').slice(0, 8)],
  ['is not valid JSON', packed('[')],
  ['is not a list of tables and counts', packed('{"public.a":1}')],
  ['is not a list of tables and counts', packed('[["public.a","1"]]')],
  ['Cannot create a Buffer larger than', packed(' '.repeat(33 * KIB * KIB))],
])('cdc-postgres 43: compressed counts that cannot be read are named: %s', (problem, member) => {
  const offset = { lsn: 1, transaction_id: '898', [COMPRESSED]: member };
  const named = expect.objectContaining({
    code: 'PG_OFFSET',
    message: expect.stringMatching(new RegExp(`^The offset member "${COMPRESSED}" cannot be read: .*`)),
  });
  expect(() => metadata().restore(offset)).toThrow(named);
  expect(() => metadata().restore(offset)).toThrow(problem === 'is not valid JSON' ? /JSON/ : problem);
  expect(() => postgresConnector.alterOffsets?.({}, [[{ server: 'f' }, offset]], 'alter')).toThrow(named);
});
