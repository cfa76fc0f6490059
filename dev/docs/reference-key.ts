/** A key as the reference shows it, from the definitions of connectors, transformations, the runtime and the worker. */
import type { ConfigKey } from '@millrace/sdk';
import type { FrameworkKey } from '../../src/config/framework-key';
import type { Setting } from '../../src/config/setting';
import { validValues, type Check } from './valid-values';

export interface ReferenceKey {
  readonly name: string;
  readonly type: string;
  /** Undefined: the key is required. Null: it has none. */
  readonly default: unknown;
  readonly valid: string;
  /** Worker settings have none. */
  readonly importance?: string;
  readonly documentation: string;
  readonly group?: string | null;
  /** Other names of the same key. */
  readonly others?: readonly string[];
}

/** @param valid what the definition does not state by itself */
export function referenceKey(key: ConfigKey | FrameworkKey, valid = ''): ReferenceKey {
  const offered = (key.recommended ?? []).map((value) => `\`${value}\``).join(', ');
  return {
    name: key.name,
    type: key.type,
    default: key.default,
    valid: valid || offered || validValues(key.type, checkOf(key)),
    importance: key.importance,
    documentation: key.documentation,
    group: key.group,
  };
}

function checkOf(key: ConfigKey | FrameworkKey): Check {
  const { check } = key as FrameworkKey;
  return (value) => check?.(value, key.name)[0] ?? key.validator?.(value, {}) ?? null;
}

export function workerKey({ name, type, default: preset, parse, documentation }: Setting): ReferenceKey {
  const check: Check = (value) => {
    try {
      parse(value);
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  };
  // A default that depends on the machine is in the text.
  const value = documentation.includes('Default: ') ? null : preset;
  return { name, type, default: value, valid: validValues(type, check), documentation };
}

/** A section per key: so each has an anchor, and the site's search leads to it. */
export function keySection(key: ReferenceKey, level: '###' | '####' = '###'): string {
  const facts = [
    `Type: ${key.type}.`,
    ...defaultOf(key),
    ...(key.valid === '' ? [] : [`Valid values: ${key.valid}.`]),
    ...(key.importance === undefined ? [] : [`Importance: ${key.importance}.`]),
    ...(key.others?.length ? [`Also accepted as ${key.others.map((name) => `\`${name}\``).join(', ')}.`] : []),
  ];
  return `${level} \`${key.name}\`\n\n${prose(key.documentation)}\n\n${facts.join(' ')}\n`;
}

function defaultOf({ default: value, documentation }: ReferenceKey): readonly string[] {
  if (value === undefined) return ['Required.'];
  // The text has what the definition cannot state.
  if (value === null && documentation.includes('Default: ')) return [];
  return [`Default: ${shownDefault(value)}.`];
}

function shownDefault(value: unknown): string {
  if (value === null) return 'none';
  const text = Array.isArray(value) ? value.join(',') : String(value);
  return text === '' ? 'empty' : `\`${text}\``;
}

/** Text of a definition as Markdown: outside of code, no tags. */
const prose = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '\\<')))
    .join('');
