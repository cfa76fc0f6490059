/** `$.a.b`, `$['a b'].c`, `$.list[0]`, `$` → the same in DuckDB's form, every name quoted. */
import { KustoError } from '../kusto-error';

const STEP = /\.([A-Za-z_@$][\w@$-]*)|\[(?:'([^']*)'|"([^"]*)")\]|\[([0-9]+)\]/y;

/** @throws KustoError `BadRequest_InvalidMapping` */
export function parseJsonPath(path: string): string {
  const fail = (): never => {
    throw new KustoError('BadRequest_InvalidMapping', `'${path}' is not a JSON path that the emulator knows`);
  };
  if (!path.startsWith('$')) fail();
  let duck = '$';
  let at = 1;
  while (at < path.length) {
    STEP.lastIndex = at;
    const match = STEP.exec(path);
    if (!match) return fail();
    const name = match[1] ?? match[2] ?? match[3];
    if (name?.includes('"')) fail();
    duck += name === undefined ? `[${match[4]}]` : `."${name}"`;
    at += match[0].length;
  }
  return duck;
}
