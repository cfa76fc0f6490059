import { FrameAssembler } from '../../../packages/embedded/src/network/frames';
import { MemoryBudget } from '../../../packages/embedded/src/network/memory-budget';
import { garbage } from '../broker-harness';

const framed = (body: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length, 0);
  return Buffer.concat([length, body]);
};

test.each([1, 3, 100, 1_023, 1_024, 5_000, 70_000])('frames come whole out of chunks of up to %s bytes', (most) => {
  let held = 0;
  const budget = new MemoryBudget(1 << 30);
  const share = budget.share(() => undefined);
  const assembler = new FrameAssembler(() => 1 << 20, share);
  const bodies = [0, 1, 20_000, 5, 150_000, 0, 700].map((size, i) => garbage(`frame ${i}`, size));
  const stream = Buffer.concat(bodies.map(framed));
  const dice = garbage(`chunks of ${most}`, 4_096);
  const found: Buffer[] = [];
  for (let at = 0, n = 0; at < stream.length; n++) {
    const size = 1 + (dice.readUInt16BE((2 * n) % 4_094) % most);
    assembler.push(stream.subarray(at, at + size));
    at += size;
    held = Math.max(held, share.bytes);
    for (let frame = assembler.next(); frame; frame = assembler.next()) found.push(Buffer.from(frame));
  }
  expect(found.map((frame) => frame.toString('hex'))).toEqual(bodies.map((body) => body.toString('hex')));
  expect([share.bytes, assembler.hasIncompleteFrame]).toEqual([0, false]);
  expect(held).toBeGreaterThanOrEqual(150_000);
});

test('limit of buffered frames: the connections that buffer most are closed', () => {
  const budget = new MemoryBudget(100);
  const gone: string[] = [];
  const [small, large, middle] = ['small', 'large', 'middle'].map((name) => budget.share(() => void gone.push(name)));
  small!.add(10);
  large!.add(60);
  middle!.add(30);
  expect(gone).toEqual([]);
  small!.add(1);
  expect(gone).toEqual(['large']);
  // A closed connection is no longer counted.
  large!.add(1_000);
  middle!.add(40);
  expect(gone).toEqual(['large']);
  middle!.add(20);
  expect([gone, small!.bytes]).toEqual([['large', 'middle'], 11]);
});
