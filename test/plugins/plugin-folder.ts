/** Writes plugin folders for tests. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export class PluginFolders {
  readonly root = mkdtempSync(join(tmpdir(), 'millrace-plugins-'));

  /** `files`: relative path → text, or an object that is written as JSON. */
  add(name: string, files: Record<string, unknown>): string {
    const folder = join(this.root, name);
    for (const [path, content] of Object.entries(files)) {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    }
    return folder;
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** A `package.json` with one plugin. */
export function packageJson(entry: Record<string, unknown>, more: Record<string, unknown> = {}): unknown {
  return { name: 'p', version: '1.2.3', millrace: { plugins: [entry] }, ...more };
}

export const SOURCE = '{ type: "source", config: [], createTask: () => ({}) }';
export const SINK = '{ type: "sink", config: [], createTask: () => ({}) }';
