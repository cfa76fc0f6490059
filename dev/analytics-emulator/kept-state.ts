/**
 * State that survives a restart in addition to tables, blobs and messages: the key that signs tokens, and the storage's
 * ports.
 */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureDir } from 'fs-extra';

export interface StoragePorts {
  readonly blob: number;
  readonly queue: number;
  readonly table: number;
}

export class KeptState {
  private constructor(
    private readonly path: string | null,
    /** Hex. */
    readonly tokenKey: string,
    /** Ports of the last run; 0: any. */
    readonly storagePorts: StoragePorts,
  ) {}

  /** @param dataDir Null: nothing is stored. */
  static async open(dataDir: string | null): Promise<KeptState> {
    const fresh = { tokenKey: randomBytes(32).toString('hex'), storagePorts: { blob: 0, queue: 0, table: 0 } };
    if (dataDir === null) return new KeptState(null, fresh.tokenKey, fresh.storagePorts);
    await ensureDir(dataDir);
    const path = join(dataDir, 'emulator.json');
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{}';
      throw error;
    });
    const kept = { ...fresh, ...(JSON.parse(text) as Partial<typeof fresh>) };
    return new KeptState(path, kept.tokenKey, kept.storagePorts);
  }

  async store(storagePorts: StoragePorts): Promise<void> {
    if (this.path === null) return;
    await writeFile(this.path, JSON.stringify({ tokenKey: this.tokenKey, storagePorts }), { mode: 0o600 });
  }
}
