/**
 * A command that npm runs (`npx millrace dev`, `npm start`) stops when npm does. npm passes SIGTERM and SIGINT
 * to a shell only, which dies and leaves the command behind; a killed npm passes nothing. So the command watches both.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { startInterval } from '@millrace/sdk';

type Env = Readonly<Record<string, string | undefined>>;

const LOOK_MS = 500;

/**
 * True if this program is all that npm runs, and in the foreground. A script that leaves a worker in the background
 * ends while the worker keeps running, and so does a program that inherits npm's variables from another script. Pure.
 */
export function isRunByNpm(env: Env, program: string): boolean {
  const { npm_lifecycle_event: event, npm_lifecycle_script: script } = env;
  if (!event || !script || !program) return false;
  const withoutCopies = script.replace(/\d?>&\d/g, '');
  return script.includes(basename(program)) && !/[&|;\n`]|\$\(|\b(?:nohup|setsid)\b/.test(withoutCopies);
}

/**
 * Calls back once when npm, or the shell between it and this process, has ended. Does nothing unless npm runs this
 * program, so a worker of a container, a service manager or `nohup` may lose its parent. Where there is no /proc, a
 * killed npm is noticed only if its shell has replaced itself by this program, as bash does.
 * @returns stops watching
 */
export function watchNpm(env: Env, program: string, onEnd: () => void): () => void {
  if (!isRunByNpm(env, program)) return () => undefined;
  const parent = process.ppid;
  const shellsParent = isShellOfNpm(parent, env) ? parentOf(parent) : undefined;
  const timer = startInterval(() => {
    if (process.ppid === parent && (shellsParent === undefined || parentOf(parent) === shellsParent)) return;
    clearInterval(timer);
    // A signal to the whole group, as Ctrl-C sends it, has arrived here as well and is handled first.
    setImmediate(onEnd);
  }, LOOK_MS).unref();
  return () => clearInterval(timer);
}

/** npm gives the shell its variables; npm itself has none, or those of an npm around it. */
function isShellOfNpm(pid: number, { npm_lifecycle_script: script }: Env): boolean {
  return (read(`/proc/${pid}/environ`)?.split('\0') ?? []).includes(`npm_lifecycle_script=${script}`);
}

function parentOf(pid: number): number | undefined {
  // The program's name is in parentheses and may contain anything; the state and the parent follow.
  const stat = read(`/proc/${pid}/stat`);
  return stat === undefined ? undefined : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
