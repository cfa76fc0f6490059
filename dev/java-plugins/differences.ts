/** Differences of two workers' answers, by the names of keys. */
import type { Plugin } from './answers';

export interface Difference {
  readonly question: string;
  /** E.g. `configs.tasks.max.value.errors`. */
  readonly path: string;
  readonly java: unknown;
  readonly ours: unknown;
}

export interface Outcome {
  readonly status: number;
  readonly body: unknown;
}

/** Members that the other one does not have are `undefined`. With other statuses, the bodies are one difference. */
export function differences(question: string, java: Outcome, ours: Outcome): Difference[] {
  const out: Difference[] = [];
  if (java.status !== ours.status) return [{ question, path: 'status', java, ours }];
  compare(question, '', named(java), named(ours), out);
  return out;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What names an entry of a list: a definition, or a definition with its value. */
function nameOf(entry: unknown): string | null {
  if (!isObject(entry)) return null;
  const { name } = isObject(entry.definition) ? entry.definition : entry;
  return typeof name === 'string' ? name : null;
}

/** Lists of named entries become objects, and their order a member. */
function named(value: unknown): unknown {
  if (Array.isArray(value)) {
    const names = value.map(nameOf);
    if (value.length === 0 || names.includes(null)) return value;
    const byName = new Map(value.map((entry, at) => [names[at] as string, named(entry)]));
    return Object.assign(Object.create(null), { 'the order': names }, Object.fromEntries(byName));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, named(member)]));
}

function compare(question: string, path: string, java: unknown, ours: unknown, out: Difference[]): void {
  if (isObject(java) && isObject(ours)) {
    for (const name of new Set([...Object.keys(java), ...Object.keys(ours)]))
      compare(question, path === '' ? name : `${path}.${name}`, java[name], ours[name], out);
    return;
  }
  if (JSON.stringify(java) !== JSON.stringify(ours)) out.push({ question, path, java, ours });
}

/** Plugins that Java lists and Millrace does not, by class, type and version; Millrace has more of its own. */
export function pluginsOnlyInJava(java: readonly Plugin[], ours: readonly Plugin[]): Difference[] {
  const text = (plugin: Plugin): string => `${plugin.class} ${plugin.type} ${plugin.version}`;
  const have = new Set(ours.map(text));
  const missing = java.map(text).filter((plugin) => !have.has(plugin));
  return missing.map((plugin) => ({ question: 'plugins', path: plugin, java: 'listed', ours: undefined }));
}
