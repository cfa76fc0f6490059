/** `putTexts` writes the same bytes as `put` of the values that StringConverter returns. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRetriable, type SinkTask } from '@millrace/sdk';
import { SinkTaskHarness } from '@millrace/sdk/testing';
import { fileStreamSink } from '../../../../connectors/file/src/sink/connector';
import { canMountSmallDisk, startSmallDisk } from '../../../helpers/small-disk';
import { random } from '../../../kafka/records/record-batch-samples';
import { convertedTexts, textBatch, type Text } from '../../text-batch';

const KIB = 1024;
const harnesses: SinkTaskHarness[] = [];
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-texts-'));
});
afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.stop().catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
});

async function started(file: string, config: Record<string, string> = {}): Promise<SinkTask> {
  const harness = await SinkTaskHarness.start(fileStreamSink, { topics: 't', file, ...config });
  harnesses.push(harness);
  return harness.task;
}

function randomValue(next: () => number, invalid: number): Text {
  if (next() < 0.05) return null;
  const length = Math.floor(next() < 0.01 ? next() * 5_000 : next() * 300);
  if (next() < invalid) return Buffer.from(Array.from({ length }, () => Math.floor(next() * 256)));
  const points = [97, 65, 10, 0, 0xe9, 0x4e2d, 0x1f600, 0xfeff];
  return Buffer.from(
    Array.from({ length }, () => String.fromCodePoint(points[Math.floor(next() * points.length)]!)).join(''),
  );
}

test.each([
  ['text', 0, {}],
  ['some that is no text', 0.02, {}],
  ['bytes', 1, {}],
  ['a separator of several bytes', 0.02, { 'file.line.separator': '\\r\\né' }],
  ['no tombstones', 0.02, { 'file.skip.tombstones': 'true' }],
] as const)('random batches: %s', async (_, invalid, config) => {
  const next = random(23);
  const [texts, general] = [await started(join(folder, 'a'), config), await started(join(folder, 'b'), config)];
  for (let round = 0; round < 8; round++) {
    const lists = Array.from({ length: 1 + Math.floor(next() * 3) }, () =>
      Array.from({ length: Math.floor(next() * 1_500) }, () => randomValue(next, next() < 0.5 ? 0 : invalid)),
    );
    await texts.putTexts?.(lists.map((values) => textBatch(values)));
    await general.put(lists.flatMap((values) => convertedTexts(values)));
    expect((await readFile(join(folder, 'a'))).equals(await readFile(join(folder, 'b')))).toBe(true);
  }
  expect((await readFile(join(folder, 'a'))).length).toBeGreaterThan(512 * KIB);
});

test('values larger than the buffer, a character cut in two, and what put adds between', async () => {
  const file = join(folder, 'a');
  const task = await started(file);
  const huge = Buffer.from('é'.repeat(400_000));
  const values = [Buffer.from('first'), huge, Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1), huge];
  await task.putTexts?.([textBatch(values)]);
  await task.put(convertedTexts([Buffer.from('between')]));
  await task.putTexts?.([textBatch([null, Buffer.alloc(0)])]);
  const lines = ['first', huge.toString(), '\ufffd', '\ufffd', huge.toString(), 'between', 'null', '', ''];
  expect(await readFile(file, 'utf8')).toBe(lines.join('\n'));
});

test.each([[{ 'file.format': 'json' }], [{ 'file.rotate.bytes': '1000' }], [{ 'file.format': 'jsonenvelope' }]])(
  'not with %j, which needs more than the text',
  async (config) => {
    expect((await started(join(folder, 'a'), config)).putTexts).toBeUndefined();
  },
);

(canMountSmallDisk ? test : test.skip)('a batch that does not fit on the disk is in the file once', async () => {
  const disk = await startSmallDisk(256);
  try {
    const [file, ballast] = [join(disk.folder, 'out.txt'), join(disk.folder, 'ballast')];
    await writeFile(ballast, Buffer.alloc(192 * KIB));
    const task = await started(file);
    const lines = Array.from({ length: 1_600 }, (_, i) => `${i} žluť ${'x'.repeat((i * 7) % 90)}`);
    const batches = [lines.slice(0, 700), lines.slice(700)].map((part, partition) =>
      textBatch(
        part.map((line) => Buffer.from(line)),
        partition,
      ),
    );
    const put = async (): Promise<unknown> => await Promise.resolve(task.putTexts?.(batches)).catch((e: unknown) => e);
    expect(isRetriable(await put())).toBe(true);
    expect(isRetriable(await put())).toBe(true);
    await rm(ballast);
    expect(await put()).toBeUndefined();
    await task.putTexts?.([textBatch([Buffer.from('after')])]);
    expect(await readFile(file, 'utf8')).toBe([...lines, 'after', ''].join('\n'));
    for (const harness of harnesses.splice(0)) await harness.stop();
  } finally {
    await disk.stop();
  }
});
