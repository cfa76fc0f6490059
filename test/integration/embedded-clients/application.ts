/** What each program in this folder does and prints: an application that writes, reads and asks, in one client. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { numbered } from '../../embedded/clients/cell';

const run = promisify(execFile);

/** 100 records of `t`, by compressing and idempotent producers; an aborted and a committed transaction in `x`. */
export const EXPECTED = {
  topics: ['t', 'x'],
  consumedInGroup: numbered(100),
  committedOffset: 100,
  committedRecords: ['kept'],
};

export async function outcomeOf(program: string, args: readonly string[], env: object = {}): Promise<unknown> {
  const { stdout } = await run(program, args, { env: { ...process.env, ...env }, timeout: 120_000 });
  return JSON.parse(stdout);
}
