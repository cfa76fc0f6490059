/**
 * Reads connectors from a parsed document: `{ name, config }`, a flat config with `name`, a `KafkaConnector` of
 * Strimzi, an array of these, `{ items: […] }`, or the answer of `GET /connectors?expand=info`. Pure.
 */
import { INITIAL_STATES, type InitialState } from '@millrace/texts/rest-names';
import { type ConnectorDocument, isLabelName, LABEL_PREFIX } from './connector-document';
import { withoutStrimzi } from './strimzi-connector';

type Mapping = Readonly<Record<string, unknown>>;
type Env = Readonly<Record<string, string | undefined>>;

/** Keys besides `config`: `tasks` and `type` are part of what a worker returns, `$schema` is for editors. */
const KEYS = new Set(['name', 'config', 'labels', 'initial_state', 'tasks', 'type', '$schema']);

export interface Parsed {
  readonly documents: readonly ConnectorDocument[];
  /** Sentences that begin with the place. */
  readonly problems: readonly string[];
}

/**
 * @param values the documents of a file
 * @param unnamed name of a flat config without one, as `PUT /connectors/{name}/config` takes it. (Default: an error)
 */
export function toDocuments(file: string, values: readonly unknown[], env: Env, unnamed?: string): Parsed {
  const documents: ConnectorDocument[] = [];
  const problems: string[] = [];
  const found = values.flatMap((value, i) => {
    const place = values.length === 1 ? file : `${file}, document ${i + 1}`;
    const items = itemsOf(value);
    return items?.map((item, j) => ({ item, place: `${place}, item ${j + 1}` })) ?? [{ item: value, place }];
  });
  if (found.length === 0) problems.push(`${file}: there is no connector in it.`);
  for (const { item, place } of found) {
    try {
      documents.push(toDocument(withoutStrimzi(item), place, env, unnamed));
    } catch (error) {
      problems.push(`${place}: ${(error as Error).message}.`);
    }
  }
  return { documents, problems };
}

function itemsOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isMapping(value)) return undefined;
  if (Array.isArray(value.items)) return value.items;
  const infos = Object.values(value).map((member) => (isMapping(member) ? member.info : undefined));
  return infos.length > 0 && infos.every((info) => isMapping(info) && isMapping(info.config)) ? infos : undefined;
}

function toDocument(value: unknown, place: string, env: Env, unnamed?: string): ConnectorDocument {
  if (!isMapping(value)) throw new Error('a connector is a mapping with "name" and "config", or a config with "name"');
  const isFlat = !isMapping(value.config);
  const { labels, initial_state: state, $schema: _, ...flat } = value;
  const unknown = isFlat ? undefined : Object.keys(value).find((key) => !KEYS.has(key));
  if (unknown !== undefined)
    throw new Error(`"${unknown}" is unknown; beside "config" there are name, labels and initial_state`);
  const config = new Map<string, string>();
  for (const [key, text] of Object.entries(isFlat ? flat : (value.config as Mapping)))
    config.set(key, textOf(key, text, env));
  const given = isFlat ? (config.has('name') ? undefined : unnamed) : value.name;
  const name = nameOf(given, config, env);
  config.set('name', name);
  addLabels(config, labels, env);
  if (!config.get('connector.class')?.trim()) throw new Error(`connector "${name}" has no "connector.class"`);
  const initialState = stateOf(state, env);
  return { name, config: Object.fromEntries(config), ...(initialState && { initialState }), place };
}

function nameOf(outside: unknown, config: ReadonlyMap<string, string>, env: Env): string {
  const inside = config.get('name')?.trim();
  const name = outside == null ? inside : textOf('name', outside, env).trim();
  if (!name) throw new Error('the connector has no "name"');
  if (inside !== undefined && inside !== name)
    throw new Error(`its name is "${name}", but the "name" in its config is "${inside}"`);
  // eslint-disable-next-line no-control-regex
  if (name.length > 1000 || /[\x00-\x1f\x7f]/.test(name))
    throw new Error('the name is not usable: it is longer than 1000 characters, or has control characters');
  return name;
}

function addLabels(config: Map<string, string>, labels: unknown, env: Env): void {
  if (labels == null) return;
  if (!isMapping(labels)) throw new Error('"labels" must be a mapping');
  for (const [label, value] of Object.entries(labels)) {
    if (!isLabelName(label))
      throw new Error(`"${label.slice(0, 100)}" is not the name of a label: letters, digits, and . _ - / between them`);
    const key = LABEL_PREFIX + label;
    const text = textOf(`labels.${label}`, value, env);
    if (config.has(key) && config.get(key) !== text)
      throw new Error(`the label "${label}" and the key "${key}" differ`);
    config.set(key, text);
  }
}

function stateOf(state: unknown, env: Env): InitialState | undefined {
  if (state == null) return undefined;
  const text = textOf('initial_state', state, env).trim().toUpperCase();
  const found = INITIAL_STATES.find((known) => known === text);
  if (!found) throw new Error(`"initial_state" must be one of ${INITIAL_STATES.join(', ')}`);
  return found;
}

function textOf(key: string, value: unknown, env: Env): string {
  if (typeof value !== 'string')
    throw new Error(
      value === null
        ? `"${key}" has no value; remove the key, or write ""`
        : `"${key}" must be a text, not ${Array.isArray(value) ? 'a list' : 'a mapping'}`,
    );
  try {
    return substitute(value, env);
  } catch (error) {
    throw new Error(`"${key}": ${(error as Error).message}`, { cause: error });
  }
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Replaces `${NAME}` and `${NAME:-default}` by variables of the environment. Only names in upper case are variables, so
 * that the placeholders of config providers (`${file:/path:key}`, `${env:NAME}`) and of plugins (`${topic}`) stay as
 * they are. `$${NAME}` stands for the text `${NAME}`. Defaults are plain text. Values are not scanned again.
 */
const VARIABLE = /\$(\$\{[A-Z_][A-Z0-9_]*(?::-[^{}]*)?\})|\$\{([A-Z_][A-Z0-9_]*)(:-([^{}]*))?\}/g;

/** @throws Error for a variable that is not set and has no default */
function substitute(text: string, env: Readonly<Record<string, string | undefined>>): string {
  if (!text.includes('${')) return text;
  return text.replace(VARIABLE, (_, escaped?: string, name = '', fallback?: string, preset = '') => {
    if (escaped !== undefined) return escaped;
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value !== undefined && (value !== '' || fallback === undefined)) return value;
    if (fallback !== undefined) return preset as string;
    throw new Error(
      `the environment variable ${name} is not set. Set it, write \${${name}:-default}, or $\${${name}} for the text itself`,
    );
  });
}
