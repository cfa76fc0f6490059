/** How a user runs this `millrace` again. Pure. */
import { delimiter, join, relative, sep } from 'node:path';
import { shellQuote } from '../output/shell-quote';

/** How this process was started. */
export interface Invocation {
  /** `process.argv[1]`. */
  readonly script: string;
  readonly cwd: string;
  readonly path: string;
  /** Resolves symbolic links; throws if the file does not exist. */
  readonly realpath: (file: string) => string;
}

/** The shortest command that runs the same `millrace` again from this folder: by its name, with npx, or with Node. */
export function ownCommand({ script, cwd, path, realpath }: Invocation): string {
  const real = (file: string): string | null => {
    try {
      return realpath(file);
    } catch {
      return null;
    }
  };
  const own = real(script) ?? script;
  const local = join(cwd, 'node_modules', '.bin');
  // npx and npm's scripts put this folder on the search path of this process only.
  const found = path.split(delimiter).find((folder) => folder !== '' && real(join(folder, 'millrace')) !== null);
  if (found !== undefined && !found.includes(`node_modules${sep}.bin`) && real(join(found, 'millrace')) === own)
    return 'millrace';
  if (real(join(local, 'millrace')) === own) return 'npx millrace';
  const shown = relative(cwd, own);
  return `node ${shellQuote(shown.startsWith('..') ? own : shown)}`;
}
