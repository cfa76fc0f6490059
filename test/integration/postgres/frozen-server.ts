/** A server that accepts connections and answers nothing: its processes are stopped, the kernel still listens. */
import type { TestDatabase } from '../../helpers/test-database';

/** Resolves with what lets it continue. The pool of the server's own processes does not grow while it is stopped. */
export async function freeze(database: TestDatabase): Promise<() => void> {
  const [row] = await database.query("SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid");
  const others = await database.query('SELECT pid FROM pg_stat_activity');
  const pids = [row, ...others].map((one) => one?.pid as number);
  const send = (signal: NodeJS.Signals): void => pids.forEach((pid) => process.kill(pid, signal));
  send('SIGSTOP');
  return () => send('SIGCONT');
}
