/** The file channel: no signal is lost, whenever the worker is killed and whenever a line is appended. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileChannel } from '../../../../connectors/postgres/src/signals/file-channel';
import { SignalInbox } from '../../../../connectors/postgres/src/signals/signal-inbox';
import { waitFor } from '../../../helpers/wait-for';

const line = (id: string): string => `{"id":"${id}","type":"log","data":{"message":"x"}}\n`;
const folder = mkdtempSync(join(tmpdir(), 'millrace-signals-'));
const file = join(folder, 'signals.txt');
const content = (): string => readFileSync(file, 'utf8');
afterAll(() => rmSync(folder, { recursive: true }));

let lines: string[];
let applied: string[];
let marks: string[];
let forgotten: number;
let inbox: SignalInbox;
let channel: FileChannel;
/** Called with the id of each signal before it is applied. */
let onSignal: (id: string) => void;

/** A channel that knows of the file what a new worker does: nothing. */
function restart(mark: string | null = null): void {
  inbox?.close();
  inbox = new SignalInbox();
  inbox.onForget = () => forgotten++;
  inbox.onSignal = () => {
    for (const { signal, mark, applied: done } of inbox.take()) {
      marks.push(mark?.text ?? '');
      onSignal(signal.id);
      applied.push(signal.id);
      done();
    }
  };
  const log = (message: string): void => void lines.push(message);
  channel = new FileChannel(file, inbox, { error: log, warn: log, info: log, debug: log, trace: log }, mark);
}

beforeEach(() => {
  lines = [];
  applied = [];
  marks = [];
  forgotten = 0;
  onSignal = () => undefined;
  restart();
});

test('cdc-postgres 103: lines that are appended while signals are applied are read next', async () => {
  writeFileSync(file, line('a') + line('b'));
  onSignal = (id) => {
    if (id === 'b') appendFileSync(file, line('c'));
  };
  await channel.poll();
  // A worker that is killed here applies signals again, and loses none.
  expect(content()).toBe(line('a') + line('b') + line('c'));
  expect(applied).toEqual(['a', 'b']);
  await channel.poll();
  expect(applied).toEqual(['a', 'b', 'c']);
  expect(content()).toBe('');
});

test('cdc-postgres 103: a killed worker leaves all signals of a file of which it applied some', async () => {
  writeFileSync(file, line('a') + line('b'));
  inbox.onSignal = null;
  const polled = channel.poll();
  await waitFor('the first signal', () => inbox.size === 1);
  for (const { applied: done } of inbox.take()) done();
  await waitFor('the second signal', () => inbox.size === 1);
  restart();
  await polled;
  await channel.poll();
  expect(applied).toEqual(['a', 'b']);
  expect(content()).toBe('');
});

test('cdc-postgres 103: killed between the signals and the end of an appended line', async () => {
  writeFileSync(file, line('a'));
  onSignal = () => appendFileSync(file, line('b').slice(0, 20));
  await channel.poll();
  onSignal = () => undefined;
  restart();
  await channel.poll();
  expect(applied).toEqual(['a', 'a']);
  appendFileSync(file, line('b').slice(20));
  await channel.poll();
  expect(applied).toEqual(['a', 'a', 'b']);
  expect([content(), lines]).toEqual(['', []]);
});

test('cdc-postgres 103: half of a line is read when the other half is written', async () => {
  writeFileSync(file, line('a').slice(0, 10));
  await channel.poll();
  expect([applied, lines]).toEqual([[], []]);
  appendFileSync(file, line('a').slice(10));
  await channel.poll();
  expect([applied, content(), lines]).toEqual([['a'], '', []]);
});

test('cdc-postgres 103: the last line needs no line feed', async () => {
  writeFileSync(file, line('a') + line('b').trim());
  await channel.poll();
  expect([applied, content()]).toEqual([['a', 'b'], '']);
});

test('half of a line that nothing follows is reported and skipped', async () => {
  writeFileSync(file, line('a') + line('b').slice(0, 10));
  await channel.poll();
  expect([applied, lines]).toEqual([['a'], []]);
  await channel.poll();
  expect(lines).toEqual([`PG_SIGNAL: a line of signal file ${file} is not valid JSON; skipping it.`]);
  expect([applied, content()]).toEqual([['a'], '']);
});

test('another file is left unchanged, and reported once', async () => {
  writeFileSync(file, 'no signal');
  for (let i = 0; i < 3; i++) await channel.poll();
  expect(lines).toEqual([
    `PG_SIGNAL: signal file ${file} cannot be read: its first line is not valid JSON. It is left unchanged.`,
  ]);
  writeFileSync(file, line('a'));
  await channel.poll();
  expect([applied, content()]).toEqual([['a'], '']);
});

test('a file that replaces one of which lines are applied is read from its start', async () => {
  writeFileSync(file, line('a'));
  onSignal = () => appendFileSync(file, '{');
  await channel.poll();
  onSignal = () => undefined;
  rmSync(file);
  await channel.poll();
  writeFileSync(file, line('a'));
  await channel.poll();
  expect([applied, content()]).toEqual([['a', 'a'], '']);
});

test('cdc-postgres 103: lines up to the mark are not applied again', async () => {
  writeFileSync(file, line('é') + line('b'));
  await channel.poll();
  expect([applied, forgotten, content()]).toEqual([['é', 'b'], 1, '']);
  for (const [mark, rest] of [
    [marks[0], ['b', 'c']],
    [marks[1], ['c']],
  ] as const) {
    writeFileSync(file, line('é') + line('b') + line('c'));
    applied = [];
    restart(mark);
    await channel.poll();
    expect([applied, content()]).toEqual([rest, '']);
  }
  writeFileSync(file, line('é') + line('b'));
  applied = [];
  restart(marks[1]);
  await channel.poll();
  expect([applied, content()]).toEqual([[], '']);
});

test.each([
  ['another file', line('x') + line('b')],
  ['a shorter file', line('a')],
])('cdc-postgres 103: a stored position of another file is ignored: %s', async (_, text) => {
  writeFileSync(file, line('a') + line('b'));
  await channel.poll();
  writeFileSync(file, text);
  applied = [];
  restart(marks[1]);
  await channel.poll();
  expect(applied).toHaveLength(text.split('\n').length - 1);
});

test('cdc-postgres 103: the same lines are new signals after the file was empty', async () => {
  writeFileSync(file, line('a'));
  await channel.poll();
  restart(marks[0]);
  await channel.poll();
  expect(forgotten).toBe(2);
  writeFileSync(file, line('a'));
  await channel.poll();
  expect(applied).toEqual(['a', 'a']);
});
