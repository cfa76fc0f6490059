/** `millrace describe plugin` */
import { ConnectError } from '@millrace/sdk';
import { aliasOf, classNamed, type Plugin, readPlugins, runsInText } from '../../connectors/plugins';
import { shownValue } from '../../connectors/config-changes';
import { writeAnswer } from '../../output/answer';
import { type Paint, paintOf } from '../../output/colours';
import { fieldsText, indented, sectionText, tableText, wrapText } from '../../output/layout';
import { printable } from '../../output/printable';
import type { Invocation } from '../../program/command-spec';
import { withClient } from '../../rest/clients';
import type { ConnectClient } from '../../rest/connect-client';
import { listOf, objectOf, path, textOf } from '../../rest/reply';

export async function run(invocation: Invocation): Promise<number> {
  const { io, args } = invocation;
  const described = await withClient(invocation, (client) => describe(client, args[0] as string));
  writeAnswer(invocation, described, () => pluginText(described, paintOf(io), io.stdout.columns));
  return 0;
}

async function describe(client: ConnectClient, text: string): Promise<DescribedPlugin> {
  const all = await readPlugins(client);
  const name = classNamed(all, text);
  const same = all.filter((plugin) => plugin.class === name);
  const [first] = same;
  if (!first)
    throw new ConnectError(`There is no plugin "${text}" on ${client.address}; see "millrace get plugins".`, {
      code: 'REST_NOT_FOUND',
    });
  const at = path`/connector-plugins/${name}/config`;
  // Java's workers ignore the parameter.
  const keys = listOf(await client.request(`${at}?hints=true`), `GET ${at}`).map((entry) =>
    keyOf(objectOf(entry, `GET ${at}`)),
  );
  return {
    class: name,
    alias: aliasOf(first),
    types: [...new Set(same.map(({ type }) => type))],
    versions: [...new Set(same.map(({ version }) => version).filter((version) => version !== ''))],
    installed: same.filter(({ location }) => location !== undefined),
    config: keys,
  };
}

function keyOf(entry: Readonly<Record<string, unknown>>): DescribedKey {
  const { name, type, required, default_value: preset, importance, documentation, group, hints } = entry;
  const { valid_values: values, required_unless: unless, alias_of: alias, ...marks } = hintsIn(hints);
  const isGiven = preset !== null && preset !== undefined;
  return {
    name: textOf(name),
    type: textOf(type),
    required: required === true || Array.isArray(unless),
    importance: textOf(importance),
    group: textOf(group),
    default: isGiven ? shownValue(type === 'PASSWORD' ? 'password' : textOf(name), textOf(preset)) : null,
    documentation: textOf(documentation),
    validValues: Array.isArray(values) ? values.map(textOf) : null,
    requiredUnless: Array.isArray(unless) ? unless.map(textOf) : [],
    aliasOf: textOf(alias),
    deprecated: marks.deprecated === true,
    withoutEffect: marks.without_effect === true,
  };
}

function hintsIn(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

export interface DescribedKey {
  readonly name: string;
  /** `STRING`, `INT`, … */
  readonly type: string;
  /** Unless one of `requiredUnless` is set. */
  readonly required: boolean;
  /** `HIGH`, `MEDIUM` or `LOW`. */
  readonly importance: string;
  /** Empty without one. */
  readonly group: string;
  /** Null without one. */
  readonly default: string | null;
  readonly documentation: string;
  /** The only values; null: any, or unknown, as of Java's workers. */
  readonly validValues: readonly string[] | null;
  readonly requiredUnless: readonly string[];
  /** Another name of this key; empty: none. */
  readonly aliasOf: string;
  readonly deprecated: boolean;
  readonly withoutEffect: boolean;
}

export interface DescribedPlugin {
  readonly class: string;
  /** What a config may name instead of the class. */
  readonly alias: string;
  readonly types: readonly string[];
  readonly versions: readonly string[];
  /** Where each version is. Empty: a worker of Java does not tell. */
  readonly installed: readonly Plugin[];
  /** In the order of the plugin. */
  readonly config: readonly DescribedKey[];
}

const COLUMNS = 100;
const NARROWEST = 40;
const INDENT = '      ';
const LONGEST_DOCUMENTATION = 2000;

/** @param columns width of the terminal; 0 or undefined if unknown */
function pluginText(plugin: DescribedPlugin, paint: Paint, columns?: number): string {
  const width = Math.max((columns || COLUMNS) - INDENT.length, NARROWEST);
  const fields = fieldsText([
    ['Class', plugin.class],
    ['Alias', plugin.alias],
    ['Type', plugin.types.join(', ')],
    ['Version', plugin.versions.join(', ')],
    ['Required', requiredText(plugin.config) || 'nothing'],
  ]);
  const places = placesText(plugin.installed, columns);
  const groups = groupsOf(plugin.config);
  if (groups.length === 0) return `${fields}${places}${sectionText('Settings', [])}`;
  const sections = groups.map(([group, keys]) => {
    const isOnly = groups.length === 1;
    const heading = group === '' ? (isOnly ? 'Settings' : 'Other settings') : printable(group);
    return sectionText(
      heading,
      keys.map((key) => keyText(key, paint, width)),
    );
  });
  return `${fields}${places}${sections.join('')}`;
}

/** Of one in Node.js that is the only one, nothing is worth a line. */
function placesText(installed: readonly Plugin[], columns?: number): string {
  if (installed.length < 2 && installed[0]?.runsIn !== 'jvm') return '';
  const rows = installed.map(({ version, runsIn, location = '', selectedBy }) => [
    ...[version, runsInText(runsIn), location],
    selectedBy === undefined ? 'never: another has the same version' : (selectedBy ?? 'not set'),
  ]);
  const headings = ['VERSION', 'RUNS IN', 'LOCATION', 'CHOSEN BY ITS VERSION'];
  return sectionText('Installed', [indented(tableText(headings, rows, { columns: columns && columns - 2 }))]);
}

/** What every connector of a kind has. */
const FRAMEWORK_GROUPS: ReadonlySet<string> = new Set([
  'Common',
  'Transforms',
  'Predicates',
  'Error Handling',
  'Topic Creation',
  'Exactly Once Support',
  'offsets.topic',
]);

/**
 * The plugin's own groups, then its keys without a group, then the framework's groups, each in the order of their first
 * key. Required keys are first in their group.
 */
function groupsOf(keys: readonly DescribedKey[]): readonly (readonly [string, readonly DescribedKey[]])[] {
  const groups = new Map<string, DescribedKey[]>();
  for (const key of keys) groups.set(key.group, [...(groups.get(key.group) ?? []), key]);
  return [...groups]
    .map(([group, members]) => [group, members.sort((a, b) => Number(b.required) - Number(a.required))] as const)
    .sort(([a], [b]) => rank(a) - rank(b));
}

/** `connector.class, topics or topics.regex`. */
function requiredText(keys: readonly DescribedKey[]): string {
  const choices = keys
    .filter(({ required }) => required)
    .map(({ name, requiredUnless }) => [name, ...requiredUnless].filter((each, i, all) => all.indexOf(each) === i));
  const texts = choices.map((names) => [...names].sort().join(' or '));
  return [...new Set(texts)].join(', ');
}

function rank(group: string): number {
  if (group === '') return 1;
  return FRAMEWORK_GROUPS.has(group) ? 2 : 0;
}

function keyText(key: DescribedKey, paint: Paint, width: number): string {
  const preset = key.default === null ? [] : [`default ${key.default === '' ? '""' : key.default}`];
  const { validValues, requiredUnless, aliasOf } = key;
  const unless = requiredUnless.length === 0 ? '' : ` unless ${requiredUnless.join(' or ')} is set`;
  const facts = [
    key.type,
    ...(key.required ? [paint('yellow', `required${unless}`)] : preset),
    key.importance.toLowerCase(),
    ...(aliasOf === '' ? [] : [`another name of ${aliasOf}`]),
    ...(key.deprecated ? ['deprecated'] : []),
    ...(key.withoutEffect ? ['no effect'] : []),
  ];
  const values = validValues === null ? [] : [`Values: ${validValues.map((value) => value || '""').join(', ')}`];
  const lines = [key.documentation.slice(0, LONGEST_DOCUMENTATION), ...values].flatMap((text) =>
    wrapText(printable(text), width),
  );
  const shown = facts.filter((fact) => fact !== '').map(printable);
  return `  ${paint('bold', printable(key.name))} (${shown.join(', ')})\n${lines.map((line) => `${INDENT}${line}\n`).join('')}`;
}
