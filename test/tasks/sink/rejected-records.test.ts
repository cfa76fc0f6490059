import type { SinkRecord } from '@millrace/sdk';
import { OffsetHolds } from '../../../src/tasks/errors/offset-holds';
import type { ErrantRecords } from '../../../src/tasks/sink/errant-records';
import { MAX_REJECTED_IN_A_ROW, RejectedRecords } from '../../../src/tasks/sink/rejected-records';

const ERROR = new Error('no such table');
const PARTITION = { topic: 'orders', partition: 0 };

function rejectedRecords(): RejectedRecords {
  const errants = { reportRejected: () => undefined } as unknown as ErrantRecords;
  return new RejectedRecords(errants, new OffsetHolds(), false, 'c');
}

function reject(rejected: RejectedRecords, originalOffset: number): void {
  const { topic: originalTopic, partition: originalPartition } = PARTITION;
  rejected.add({ originalTopic, originalPartition, originalOffset } as SinkRecord, ERROR);
}

test('a record that is delivered again and rejected again counts once', () => {
  const rejected = rejectedRecords();
  for (let delivery = 0; delivery < 5; delivery++) {
    rejected.forget([PARTITION]);
    for (let offset = 0; offset < MAX_REJECTED_IN_A_ROW; offset++) reject(rejected, offset);
    expect(rejected.failure).toBeNull();
  }
  reject(rejected, MAX_REJECTED_IN_A_ROW);
  expect(rejected.failure).toMatchObject({ code: 'PUT_REJECTS_ALL' });
});

test('records of other partitions still count', () => {
  const rejected = rejectedRecords();
  for (let offset = 0; offset < MAX_REJECTED_IN_A_ROW; offset++) reject(rejected, offset);
  rejected.forget([{ ...PARTITION, partition: 1 }]);
  reject(rejected, MAX_REJECTED_IN_A_ROW);
  expect(rejected.failure?.message).toMatch(/^put\(\) has rejected 11 records in a row/);
});
