import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SpooledTransaction } from '../../../../../connectors/postgres/src/replication/streamed/spooled-transaction';
import {
  isLater,
  SubtransactionStarts,
} from '../../../../../connectors/postgres/src/replication/streamed/subtransaction-starts';

const exactly = (at: number) => ({ at, exact: true });

test('the first change of a subtransaction and of all within it', () => {
  const starts = new SubtransactionStarts();
  starts.note(12, 0);
  // Its parent, which was assigned its id before.
  starts.note(11, 10);
  starts.note(14, 20);
  starts.note(12, 30);
  expect(starts.from(11)).toEqual(exactly(0));
  expect(starts.from(13)).toEqual(exactly(20));
  expect(starts.from(15)).toBeNull();
  starts.truncate(20);
  expect(starts.from(14)).toBeNull();
  starts.note(16, 20);
  expect(starts.from(16)).toEqual(exactly(20));
});

test('ids wrap around', () => {
  expect(isLater(3, 0xfffffff0)).toBe(true);
  expect(isLater(0xfffffff0, 3)).toBe(false);
  const starts = new SubtransactionStarts();
  starts.note(0xfffffff0, 0);
  starts.note(3, 5);
  expect(starts.from(3)).toEqual(exactly(5));
  expect(starts.from(0xfffffff0)).toEqual(exactly(0));
});

test('many subtransactions: their number in memory is bounded, and a position before the first change is still known', () => {
  const starts = new SubtransactionStarts(4);
  for (let xid = 1; xid <= 100; xid++) starts.note(xid, xid * 10);
  const { at, exact } = starts.from(90) as { at: number; exact: boolean };
  expect(exact).toBe(false);
  expect(at).toBeLessThanOrEqual(900);
  expect(starts.from(1)).toEqual({ at: 0, exact: false });
});

test('a rollback finds the first change by reading when its position is not in memory', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-spill-'));
  const transaction = new SpooledTransaction(1, folder, new SubtransactionStarts(4));
  try {
    for (let xid = 2; xid <= 60; xid++) {
      const message = Buffer.alloc(25 + 5 + 20_000);
      message.writeUInt32BE(xid, 5);
      message.write('I', 25);
      message.writeUInt32BE(xid, 26);
      transaction.append(message, 0, message.length, true);
      if (transaction.isFull) await transaction.flush();
    }
    await transaction.rollBack(31);
    await transaction.rollBack(40);
    const frames = transaction.frames();
    const seen: number[] = [];
    while (frames.peek() || (await frames.fill())) {
      seen.push(frames.buffer.readUInt32BE(frames.start + 5));
      frames.shift();
    }
    expect(seen).toEqual(Array.from({ length: 29 }, (_, i) => i + 2));
  } finally {
    await transaction.close();
    await rm(folder, { recursive: true });
  }
});
