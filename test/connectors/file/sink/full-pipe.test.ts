/** A pipe that is not read: it must not hold one of the few threads that all files of the worker share. */
import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SinkTaskHarness } from '@millrace/sdk/testing';
import { fileStreamSink } from '../../../../connectors/file/src/sink/connector';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-full-pipe-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('a batch that a pipe cannot take is retried, and each line is in it once', async () => {
  const file = join(folder, 'pipe');
  execFileSync('mkfifo', [file]);
  const assignment = [{ topic: 'a', partition: 0 }];
  const harness = await SinkTaskHarness.start(fileStreamSink, { topics: 'a', file }, { assignment });
  // Opened without waiting for a writer, and read without waiting for bytes.
  const reader = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    // More than a pipe takes.
    const lines = Array.from({ length: 3_000 }, (_, i) => `line ${i} ${'x'.repeat(100)}`);
    let error: unknown = await harness
      .put(lines.map((value) => ({ topic: 'a', value })))
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'FILE_SINK_FULL',
      retriable: true,
      message: `Cannot write to ${file}: it takes no more, because it is not read; retrying until it is.`,
    });
    const read: Buffer[] = [];
    const drain = async (): Promise<void> => {
      const room = Buffer.alloc(256 * 1024);
      for (;;) {
        const bytes = await reader.read(room, 0, room.length, null).then(
          ({ bytesRead }) => bytesRead,
          () => 0,
        );
        if (bytes === 0) return;
        read.push(Buffer.from(room.subarray(0, bytes)));
      }
    };
    for (let attempts = 0; error !== undefined && attempts < 100; attempts++) {
      await drain();
      error = await harness.redeliver().catch((reason: unknown) => reason);
    }
    await drain();
    expect(Buffer.concat(read).toString()).toBe(`${lines.join('\n')}\n`);
  } finally {
    await harness.stop();
    await reader.close();
  }
});
