/**
 * A server process that cannot outlive this process. It runs under a small shell, the keeper, whose standard input is a
 * pipe from this process. When the pipe closes, because this process calls `stop`, exits, crashes or gets SIGKILL, the
 * keeper kills the server and removes its folder. The keeper has its own session, so that Ctrl-C does not reach the
 * server.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

// After the server's own end the folder stays until the pipe closes: its log says why it ended.
const KEEPER = `
exec 3<&0
"$@" </dev/null >>"$KEPT_FOLDER/log" 2>&1 3<&- &
server=$!
echo "$server" >"$KEPT_FOLDER/pid"
(
  read -r _ <&3
  sleep 60 &
  trap "kill $!; exit" TERM
  kill -s "$KEPT_SIGNAL" "$server"
  wait
  kill -s KILL "$server"
) 2>/dev/null &
watch=$!
wait "$server"
code=$?
# Before anybody knows: the number may soon belong to another process.
kill "$watch"
echo "$code" >"$KEPT_FOLDER/exit-code"
read -r _ <&3
rm -rf "$KEPT_FOLDER"
exit "$code"
`;

export interface KeptProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The server's working directory, which also has its `log`. Removed at the end. */
  readonly folder: string;
  /** Signal that stops the server; KILL follows after 60 s. Choose the fastest one if the data is removed anyway. */
  readonly signal: 'INT' | 'KILL' | 'QUIT' | 'TERM';
  readonly user?: { readonly uid: number; readonly gid: number };
  /** The server's complete environment. (Default: this process's) */
  readonly env?: NodeJS.ProcessEnv;
}

export class KeptProcess {
  private readonly exited: Promise<number | null>;
  private readonly keeper: ChildProcess;

  constructor(private readonly options: KeptProcessOptions) {
    const { command, args, folder, signal, user, env } = options;
    this.keeper = spawn('/bin/sh', ['-c', KEEPER, 'keeper', command, ...args], {
      cwd: folder,
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { ...(env ?? process.env), KEPT_FOLDER: folder, KEPT_SIGNAL: signal },
      ...user,
    });
    this.exited = new Promise((resolve, reject) => {
      this.keeper.once('error', reject);
      this.keeper.once('exit', resolve);
    });
    this.exited.catch(() => undefined);
    // Does not keep this process alive if the caller forgets to stop the server.
    this.keeper.unref();
    (this.keeper.stdin as unknown as { unref(): void }).unref();
  }

  /** The server's output so far. */
  log(): string {
    return read(join(this.options.folder, 'log'));
  }

  /** The server's process id; undefined until it is started. */
  get pid(): number | undefined {
    return Number(read(join(this.options.folder, 'pid')).trim()) || undefined;
  }

  /** The server's exit code, undefined while it runs. */
  get exitCode(): number | undefined {
    const text = read(join(this.options.folder, 'exit-code')).trim();
    return text === '' ? undefined : Number(text);
  }

  /** Resolves with the server's exit code once it has exited and its folder is removed. May be called twice. */
  async stop(): Promise<number | null> {
    this.keeper.ref();
    this.keeper.stdin?.end();
    const code = await this.exited;
    await rm(this.options.folder, { recursive: true, force: true });
    return code;
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
