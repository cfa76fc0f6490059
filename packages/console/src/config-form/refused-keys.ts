/** Which keys the worker's message about a config is about. Pure. */

/** What surrounds the errors of keys in the answer to a config that is not valid. */
const AROUND = /^(?:Connector configuration is invalid and contains|You can also find the above list of errors)/;
/** Words of Connect before the name of a key. */
const NAMED = /\bconfiguration '?"?([^\s'":]+)/;
const TAKEN = /^Connector .* already exists$/;

export interface RefusedKeys {
  /** Sentences by key. */
  readonly byKey: ReadonlyMap<string, string>;
  /** Sentences that are about no key in particular. */
  readonly others: readonly string[];
}

/** @param keys those of the form */
export function refusedKeys(message: string, keys: Iterable<string>): RefusedKeys {
  const known = new Set(keys);
  const byKey = new Map<string, string>();
  const others: string[] = [];
  const lines = message.split('\n').map((line) => line.trim());
  for (const line of new Set(lines.filter((one) => one !== '' && !AROUND.test(one)))) {
    const key = keyOf(line, known);
    if (key === null) others.push(line);
    else byKey.set(key, byKey.has(key) ? `${byKey.get(key)!} ${line}` : line);
  }
  return { byKey, others };
}

/** The key that Connect's words name; else the longest one that the sentence contains as a word with a dot. */
function keyOf(line: string, known: ReadonlySet<string>): string | null {
  if (TAKEN.test(line) && known.has('name')) return 'name';
  const named = NAMED.exec(line)?.[1];
  if (named !== undefined && known.has(named)) return named;
  const words = line.split(/[\s'",;:=()[\]]/).map((word) => (word.endsWith('.') ? word.slice(0, -1) : word));
  const found = words.filter((word) => word.includes('.') && known.has(word));
  return found.sort((a, b) => b.length - a.length)[0] ?? null;
}
