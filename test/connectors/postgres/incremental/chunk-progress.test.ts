/** Progress of an incremental snapshot in its notifications: cdc-postgres §4.12. */
import { ChunkProgress } from '../../../../connectors/postgres/src/incremental/chunk-progress';

const SIZE = 10;

test('cdc-postgres 106: chunks of a table are numbered, and its rows are counted once', async () => {
  const progress = new ChunkProgress(SIZE);
  let counts = 0;
  const chunk = async (): Promise<unknown> => {
    await progress.count(() => {
      counts++;
      return Promise.resolve({ total: 25, done: 0 });
    });
    const { ofChunk } = progress;
    progress.chunkEnded();
    return ofChunk;
  };
  const rows = { total_chunks: '3', total_rows: '25' };
  expect([await chunk(), await chunk(), await chunk(), progress.ofTable]).toEqual([
    { chunk_index: '1', ...rows },
    { chunk_index: '2', ...rows },
    { chunk_index: '3', ...rows },
    { total_rows: '25' },
  ]);
  // Chunks that end early because their rows are large.
  expect(await chunk()).toEqual({ chunk_index: '4', total_chunks: '4', total_rows: '25' });
  expect(counts).toBe(1);
  progress.reset();
  expect([progress.ofTable, await chunk()]).toEqual([{}, { chunk_index: '1', ...rows }]);
});

test('cdc-postgres 106: after a restart, chunk numbers continue', async () => {
  const progress = new ChunkProgress(SIZE);
  await progress.count(() => Promise.resolve({ total: 25, done: 10 }));
  expect(progress.ofChunk).toEqual({ chunk_index: '2', total_chunks: '3', total_rows: '25' });
});

test('cdc-postgres 106: rows that cannot be counted', async () => {
  const progress = new ChunkProgress(SIZE);
  await progress.count(() => Promise.resolve(null));
  expect([progress.ofChunk, progress.ofTable]).toEqual([{ chunk_index: '1' }, {}]);
});
