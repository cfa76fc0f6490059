import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStorage } from '../../../packages/embedded/src/log/segment-storage';

test('full disk: a partial write that cannot be removed at once does not precede the next write', () => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'embedded-segment-'));
  const storage = fileStorage(join(folder, 'segment'));
  const full = new Error('ENOSPC: no space left on device');
  const truncate = jest.spyOn(fs, 'ftruncateSync').mockImplementation(() => {
    throw full;
  });
  try {
    storage.append(Buffer.from('first '));
    const write = fs.writeSync as (descriptor: number, bytes: Buffer, from: number, length: number) => number;
    const writes = jest
      .spyOn(fs, 'writeSync')
      .mockImplementationOnce(((to: number, bytes: Buffer) => write(to, bytes, 0, 4)) as never)
      .mockImplementation((() => {
        throw full;
      }) as never);
    expect(() => storage.append(Buffer.from('refused'))).toThrow('ENOSPC');
    writes.mockRestore();
    expect(() => storage.append(Buffer.from('refused'))).toThrow('ENOSPC');
    truncate.mockRestore();
    storage.append(Buffer.from('second'));
    expect(storage.read(0, 100).toString()).toBe('first second');
    expect(fs.readFileSync(join(folder, 'segment'), 'utf8')).toBe('first second');
  } finally {
    jest.restoreAllMocks();
    storage.close();
    fs.rmSync(folder, { recursive: true });
  }
});
