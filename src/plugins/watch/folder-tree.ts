/** Reads the state of the files in a plugin folder. Links are followed; `node_modules` and dot files are not read. */
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { isArchive } from '../java-units';
import { readManifest } from '../manifest';
import { isCode, isIgnored, isTypeScript } from './folder-changes';

/** A larger file is compared by its time and size, as are jars. Bytes. */
const MAX_HASHED = 4 * 1024 * 1024;

/** For all plugin folders together. */
export class TreeBudget {
  exceeded = false;
  constructor(
    private directories = 2_000,
    private files = 20_000,
  ) {}

  takeDirectory(): boolean {
    return this.take(--this.directories);
  }
  takeFile(): boolean {
    return this.take(--this.files);
  }
  private take(left: number): boolean {
    if (left < 0) this.exceeded = true;
    return left >= 0;
  }
}

/** What is known of a file: it is read again only if its time, size or inode differs. */
interface KnownFile {
  readonly stamp: string;
  readonly hash: string;
}

export interface FolderTree {
  /** Real paths of the folder and its subfolders. */
  readonly directories: ReadonlySet<string>;
  /** By path relative to the folder. */
  readonly files: ReadonlyMap<string, string>;
}

export class TreeReader {
  private known = new Map<string, KnownFile>();
  private read = new Map<string, KnownFile>();

  /** Files and folders that disappear meanwhile are left out. Never rejects. */
  async tree(folder: string, budget: TreeBudget): Promise<FolderTree> {
    const typescript = readManifest(folder)?.entries.some(({ file }) => isTypeScript(file)) ?? false;
    const directories = new Set<string>();
    const files = new Map<string, string>();
    const visit = async (path: string): Promise<void> => {
      const directory = await realpath(path);
      if (directories.has(directory) || !budget.takeDirectory()) return;
      directories.add(directory);
      for (const name of (await readdir(directory)).sort()) {
        if (isIgnored(name)) continue;
        const child = join(path, name);
        const stats = await stat(child).catch(() => null);
        if (stats?.isDirectory() === true) await visit(child).catch(() => undefined);
        else if (stats?.isFile() === true && isCode(name, typescript) && budget.takeFile())
          files.set(relative(folder, child), await this.state(child, stats));
      }
    };
    await visit(folder).catch(() => undefined);
    return { directories, files };
  }

  /** Call after the trees of all folders were read: drops what is known of files that no longer exist. */
  endRound(): void {
    this.known = this.read;
    this.read = new Map();
  }

  private async state(file: string, { mtimeMs, ctimeMs, size, ino }: Stats): Promise<string> {
    const stamp = [mtimeMs, ctimeMs, size, ino].join(' ');
    const known = this.known.get(file);
    // A file may be written twice within the resolution of its times.
    const isSettled = known?.stamp === stamp && Date.now() - Math.max(mtimeMs, ctimeMs) > RESOLUTION_MS;
    const isCompared = size > MAX_HASHED || isArchive(file);
    const hash = isSettled ? known.hash : isCompared ? stamp : await hashOf(file);
    this.read.set(file, { stamp, hash });
    return hash;
  }
}

/** Of the times of common file systems. */
const RESOLUTION_MS = 2_000;

async function hashOf(file: string): Promise<string> {
  try {
    return createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
  } catch (error) {
    return `unreadable: ${(error as NodeJS.ErrnoException).code ?? ''}`;
  }
}
