import { FrameSplitter } from '../../../packages/java-host/src/wire/frame-splitter';
import { FrameWriter, MAX_FRAME, readFrame } from '../../../packages/java-host/src/wire/frame';
import { StringCache } from '../../../packages/java-host/src/wire/string-cache';

const read = (hex: string) => readFrame(Buffer.from(hex, 'hex'), new StringCache());

function split(chunks: readonly Buffer[]): string[] {
  const splitter = new FrameSplitter();
  const frames: string[] = [];
  for (const chunk of chunks) {
    splitter.push(chunk);
    for (let frame = splitter.next(); frame !== null; frame = splitter.next()) frames.push(frame.toString('hex'));
  }
  return frames;
}

describe('frames of the Java host', () => {
  it('has the bytes of the protocol', () => {
    const writer = new FrameWriter();
    expect(writer.call(3, 'poll', []).toString('hex')).toBe(
      '00000012' + '01' + '00000003' + '00000004706f6c6c' + '0700000000',
    );
    expect(writer.event('e', [1]).toString('hex')).toBe(
      '00000018' + '04' + '00000000' + '0000000165' + '0700000001' + '030000000000000001',
    );
    expect(writer.result(7, null).toString('hex')).toBe('00000006' + '02' + '00000007' + '00');
    expect(writer.error(7, 'x').toString('hex')).toBe('0000000b' + '03' + '00000007' + '050000000178');
    expect(writer.callWithBytes(1, 'c', (bytes) => bytes.u16(258)).toString('hex')).toBe(
      '00000016' + '01' + '00000001' + '0000000163' + '0700000001' + '06000000020102',
    );
  });

  it('reads calls, events, results and errors', () => {
    expect(read('01' + '00000003' + '00000004706f6c6c' + '070000000101')).toEqual({
      type: 'call',
      number: 3,
      method: 'poll',
      args: [true],
    });
    expect(read('04' + '00000000' + '0000000165' + '0700000000')).toMatchObject({
      type: 'event',
      method: 'e',
      args: [],
    });
    expect(read('020000000700')).toEqual({ type: 'result', number: 7, value: null });
    expect(read('030000000701')).toEqual({ type: 'error', number: 7, value: true });
  });

  it.each([
    ['an empty frame', ''],
    ['an unknown type', '050000000100'],
    ['arguments that are no list', '0100000001000000016300'],
    ['bytes after its value', '02000000010000'],
    ['a result without a value', '0200000001'],
  ])('refuses %s', (_name, hex) => {
    expect(() => read(hex)).toThrow(expect.objectContaining({ code: 'JAVA_HOST_PROTOCOL' }));
  });

  it('splits what arrives in any parts', () => {
    const frames = [
      Buffer.from('0000000101', 'hex'),
      Buffer.from('00000003020202', 'hex'),
      Buffer.from('00000000', 'hex'),
    ];
    const all = Buffer.concat([...frames, ...frames]);
    const expected = ['01', '020202', '', '01', '020202', ''];
    expect(split([all])).toEqual(expected);
    expect(split([...all].map((byte) => Buffer.from([byte])))).toEqual(expected);
    expect(split([all.subarray(0, 9), all.subarray(9, 11), all.subarray(11)])).toEqual(expected);
  });

  it('refuses to write one that is too large, with its size, and writes the next one', () => {
    const writer = new FrameWriter();
    expect(() => writer.callWithBytes(1, 'convert', (bytes) => bytes.raw(Buffer.alloc(MAX_FRAME)))).toThrow(
      /^The call convert\(\) needs at least 26843\d{4} bytes on its way to the JVM, which takes 268435456 at once\.$/,
    );
    expect(() => writer.result(1, [Buffer.alloc(MAX_FRAME)])).toThrow(
      expect.objectContaining({ code: 'JAVA_TOO_LARGE' }),
    );
    expect(writer.result(7, null).toString('hex')).toBe('00000006' + '02' + '00000007' + '00');
  });

  it('takes a text at its length, not at what it might need', () => {
    const text = 'x'.repeat(MAX_FRAME / 2);
    expect(new FrameWriter().result(1, text).length).toBe(4 + 5 + 5 + text.length);
  });

  it.each(['ffffffff', (MAX_FRAME + 1).toString(16).padStart(8, '0')])('refuses the length %s at once', (hex) => {
    expect(() => split([Buffer.from(hex, 'hex')])).toThrow('its length is');
  });

  it('joins a large frame once', () => {
    const concat = jest.spyOn(Buffer, 'concat');
    const content = Buffer.alloc(3_000_000, 7);
    const head = Buffer.alloc(4);
    head.writeInt32BE(content.length);
    const chunks = [head];
    for (let at = 0; at < content.length; at += 65_536) chunks.push(content.subarray(at, at + 65_536));
    const splitter = new FrameSplitter();
    let frame: Buffer | null = null;
    for (const chunk of chunks) {
      splitter.push(chunk);
      frame = splitter.next() ?? frame;
    }
    expect(frame?.equals(content)).toBe(true);
    expect(concat).toHaveBeenCalledTimes(1);
    concat.mockRestore();
  });
});
