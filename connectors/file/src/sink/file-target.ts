/**
 * Writes lines to one file, or with rotation to `<name>.part`, which is renamed when it is complete, so that readers of
 * renamed files see complete files only.
 */
import { rename, stat, unlink } from 'node:fs/promises';
import { monotonicNow } from '@millrace/sdk';
import { AppendFile, type AppendOptions } from './append-file';
import type { LineTarget } from './line-target';

interface Rotation {
  /** 0: no limit. */
  readonly rotateBytes: number;
  /** 0: no limit. */
  readonly rotateMs: number;
}

/** Opens the file at once, so that an invalid name fails the start. Throws ConnectError `FILE_SINK_OPEN`. */
export async function openTarget(
  name: string,
  options: AppendOptions & Rotation,
  /** For the names of complete files. */
  timeOfDay: () => number = Date.now,
  monotonic: () => number = monotonicNow,
): Promise<LineTarget> {
  if (options.rotateBytes === 0 && options.rotateMs === 0)
    return new SingleFile(name, await AppendFile.open(name, options));
  const target = new RotatedFile(name, options, timeOfDay, monotonic);
  await target.open();
  return target;
}

class SingleFile implements LineTarget {
  constructor(
    readonly name: string,
    private readonly file: AppendFile,
  ) {}

  isFull(): boolean {
    return false;
  }
  rotate(): Promise<void> {
    return Promise.resolve();
  }
  tick(): Promise<void> {
    return Promise.resolve();
  }
  write(bytes: Buffer): Promise<void> {
    return this.file.write(bytes);
  }
  flush(): Promise<void> {
    return this.file.flush();
  }
  close(complete: boolean): Promise<void> {
    return this.file.close(complete);
  }
}

class RotatedFile implements LineTarget {
  private part: AppendFile | null = null;
  private openedAt = 0;
  private lastStamp = 0;

  constructor(
    readonly name: string,
    private readonly options: AppendOptions & Rotation,
    private readonly timeOfDay: () => number,
    private readonly monotonic: () => number,
  ) {}

  /** Continues a `.part` file that a crash left. */
  async open(): Promise<AppendFile> {
    this.part = await AppendFile.open(this.partName, this.options);
    this.openedAt = this.monotonic();
    return this.part;
  }

  isFull(pending: number, next: number): boolean {
    const { rotateBytes } = this.options;
    const before = (this.part?.size ?? 0) + pending;
    return rotateBytes > 0 && before > 0 && before + next > rotateBytes;
  }

  async write(bytes: Buffer): Promise<void> {
    await (this.part ?? (await this.open())).write(bytes);
  }

  async flush(): Promise<void> {
    await this.part?.flush();
  }

  async tick(now: number): Promise<void> {
    const { rotateMs } = this.options;
    if (rotateMs === 0 || !this.part || now - this.openedAt < rotateMs) return;
    if (this.part.size > 0) await this.rotate();
  }

  async rotate(): Promise<void> {
    const part = this.part;
    if (!part) return;
    await part.flush();
    // Rename it while it is open, so that a failed rename can be retried.
    if (part.size === 0) await unlink(this.partName);
    else await rename(this.partName, await this.completeName());
    this.part = null;
    await part.close(false);
  }

  async close(complete: boolean): Promise<void> {
    try {
      if (complete) await this.rotate();
    } finally {
      const part = this.part;
      this.part = null;
      await part?.close(false);
    }
  }

  private get partName(): string {
    return `${this.name}.part`;
  }

  /**
   * The UTC time in milliseconds. Later files have later names, also within one millisecond, and no existing file is
   * overwritten.
   */
  private async completeName(): Promise<string> {
    for (let time = Math.max(this.timeOfDay(), this.lastStamp + 1); ; time++) {
      this.lastStamp = time;
      const name = `${this.name}.${new Date(time).toISOString().replace(/[-:.]/g, '')}`;
      if (!(await exists(name))) return name;
    }
  }
}

async function exists(file: string): Promise<boolean> {
  return await stat(file).then(
    () => true,
    () => false,
  );
}
