/** Which processes run the tasks of `bench/plugins/beats`, and with which config. */
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Several intervals of a task's polls, on a machine that is busy. */
export const BEAT_MS = 3_000;

export interface Beat {
  readonly pid: number;
  readonly version: string;
}

/** `connector-task` → the processes that ran it within the last BEAT_MS. */
export async function readBeats(folder: string): Promise<Map<string, Beat[]>> {
  const beats = new Map<string, Beat[]>();
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (Date.now() - (await stat(path)).mtimeMs > BEAT_MS) continue;
    const [connector, task, pid] = name.split('~') as [string, string, string];
    const id = `${connector}-${task}`;
    beats.set(id, [...(beats.get(id) ?? []), { pid: Number(pid), version: await readFile(path, 'utf8') }]);
  }
  return beats;
}
