/** Processes that another one has started, from Linux's /proc. */
import { readdirSync, readFileSync } from 'node:fs';

/** Of these programs (`comm`, e.g. `java`) that live. */
export function childrenOf(parent: number, program: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const stat = statOf(pid);
      return stat?.parent === parent && stat.program === program && stat.state !== 'Z';
    });
}

/** The main thread's, which a program may name. */
function statOf(pid: number): { program: string; state: string; parent: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const end = text.lastIndexOf(')');
    const [state = '', parent] = text.slice(end + 2).split(' ');
    return { program: text.slice(text.indexOf('(') + 1, end), state, parent: Number(parent) };
  } catch {
    return null;
  }
}
