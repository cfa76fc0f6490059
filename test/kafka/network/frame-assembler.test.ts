import { FrameAssembler } from '../../../packages/kafka-client/src/network/frame-assembler';

const framed = (...bodies: string[]): Buffer =>
  Buffer.concat(
    bodies.map((body) => {
      const head = Buffer.alloc(4);
      head.writeInt32BE(Buffer.byteLength(body));
      return Buffer.concat([head, Buffer.from(body)]);
    }),
  );

test('messages are complete, wherever the stream is split', () => {
  const bodies = ['four', 'a longer message', 'x'.repeat(1_000), 'last'];
  const stream = framed(...bodies);
  for (const step of [1, 2, 3, 4, 5, 7, 19, 500, stream.length]) {
    const out: string[] = [];
    const frames = new FrameAssembler(10_000);
    for (let at = 0; at < stream.length; at += step) {
      frames.push(stream.subarray(at, at + step), (frame) => out.push(frame.toString()));
    }
    expect(out).toEqual(bodies);
  }
});

test('bytes of another protocol are rejected by their frame size', () => {
  const frames = new FrameAssembler(2 ** 28);
  expect(() => frames.push(Buffer.from('HTTP/1.1 400 Bad Request'), () => undefined)).toThrow(/1213486160 bytes/);
  expect(() => new FrameAssembler(100).push(Buffer.from([0x15, 3, 3, 0, 2]), () => undefined)).toThrow(RangeError);
  expect(() => new FrameAssembler(100).push(Buffer.from([0, 0, 0, 1, 9]), () => undefined)).toThrow(RangeError);
});

test('memory is allocated for received bytes, not for the announced size', () => {
  const MIB = 2 ** 20;
  const frames = new FrameAssembler(2 ** 28);
  const head = Buffer.alloc(100);
  head.writeInt32BE(200 * MIB);
  const chunk = Buffer.alloc(MIB);
  const none = () => {
    throw new Error('it is not complete');
  };
  const before = process.memoryUsage().arrayBuffers;
  const taken = () => (process.memoryUsage().arrayBuffers - before) / MIB;
  frames.push(head, none);
  expect(taken()).toBeLessThan(4);
  for (let i = 0; i < 10; i++) frames.push(chunk, none);
  // Its room grows to four times as much, and the one before may not have been collected yet.
  expect(taken()).toBeLessThan(48);
  const sizes: number[] = [];
  for (let i = 10; i < 199; i++) frames.push(chunk, none);
  frames.push(chunk.subarray(0, MIB - (head.length - 4)), (frame) => sizes.push(frame.length));
  expect(sizes).toEqual([200 * MIB]);
});
