/**
 * Preloaded into a broker (`node -r`): appends a line "inode bytes" to the file FLUSH_JOURNAL for each flush of a file,
 * with the size that is on disk from then on. `failPower` of power-failure.ts reads them.
 */
import fs from 'node:fs';
import { open } from 'node:fs/promises';

const journal = fs.openSync(process.env.FLUSH_JOURNAL as string, 'a');
type FlushedFile = { readonly ino: number; readonly size: number };
const record = ({ ino, size }: FlushedFile): void => void fs.writeSync(journal, `${ino} ${size}\n`);

const dataSync = fs.fdatasync;
const recording = (descriptor: number, done: (error: NodeJS.ErrnoException | null) => void): void => {
  // What is written during the flush may not be part of it.
  const flushed = fs.fstatSync(descriptor);
  dataSync(descriptor, (error) => {
    if (!error) record(flushed);
    done(error);
  });
};
Object.assign(fs, { fdatasync: recording });

void open(process.env.FLUSH_JOURNAL as string).then(async (handle) => {
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  const handleSync = prototype.datasync;
  prototype.datasync = async function (this: typeof handle) {
    const flushed = fs.fstatSync(this.fd);
    await handleSync.call(this);
    record(flushed);
  };
  await handle.close();
});
