import { ProgressLine, withProgress } from '../../../packages/cli/src/output/progress-line';
import { FakeIo } from '../fake-io';

function terminal(columns: number) {
  const written: string[] = [];
  const stream = (name: string) => ({ write: (text: string) => written.push(`${name} ${text}`) });
  return { written, stdout: stream('out'), stderr: { ...stream('err'), isTTY: true, columns } };
}

test('without a terminal there is no line', () => {
  const io = new FakeIo('/');
  const line = new ProgressLine(io);
  line.show(() => 'busy');
  line.stderr.write('b\n');
  line.clear();
  expect(io.err).toBe('b\n');
});

test('on a terminal it is redrawn every 100 ms at most, and stays below other output', () => {
  const { written, ...io } = terminal(0);
  let now = 0;
  const line = new ProgressLine(io, () => now);
  line.show(() => 'one');
  line.show(() => 'two');
  now = 100;
  line.show(() => 'three');
  line.stdout.write('a\n');
  line.stderr.write('b\n');
  expect(written).toEqual(['err \r\x1b[Kone', 'err \r\x1b[Kthree', 'err \r\x1b[K', 'out a\n', 'err b\n']);
});

test('the last text is drawn when the time has passed', () => {
  jest.useFakeTimers();
  try {
    const { written, ...io } = terminal(0);
    const line = new ProgressLine(io);
    for (const text of ['one', 'two', 'three']) line.show(() => text);
    jest.advanceTimersByTime(99);
    expect(written).toEqual(['err \r\x1b[Kone']);
    jest.advanceTimersByTime(1);
    expect(written).toEqual(['err \r\x1b[Kone', 'err \r\x1b[Kthree']);
    line.show(() => 'four');
    line.clear();
    jest.advanceTimersByTime(1000);
    expect(written.slice(2)).toEqual(['err \r\x1b[K']);
  } finally {
    jest.useRealTimers();
  }
});

test('the line is cut to the width of the terminal, and has no control characters', () => {
  const { written, ...io } = terminal(10);
  new ProgressLine(io).show(() => 'a\x1b[2Jb\nlonger than that');
  expect(written).toEqual(['err \r\x1b[Ka [2Jb lo']);
});

test('the line is erased when the command ends, however it ends', async () => {
  const io = new FakeIo('/');
  Object.assign(io.stderr, { isTTY: true });
  const failing = withProgress({ args: [], options: {}, io }, async (invocation, show) => {
    show(() => 'busy');
    expect(invocation.io.stderr.isTTY).toBe(true);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(io.err).toBe('\r\x1b[Kbusy\r\x1b[K');
});
