/**
 * Labels of connectors. Connect has none, so that they are keys of the config with a prefix, which workers ignore.
 * Selectors choose connectors by label, as in kubectl: `team=a,env!=test,critical,!old`.
 */
import { ConnectError } from '@millrace/sdk';

export const LABEL_PREFIX = 'millrace.label.';
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,98}[A-Za-z0-9])?$/;
const REQUIREMENT = /^(!?)([^=!]+)(?:(!=|==?)(.*))?$/;

export type Labels = Readonly<Record<string, string>>;
export type Selector = (labels: Labels) => boolean;

export function isLabelName(name: string): boolean {
  return NAME.test(name);
}

export function labelsOf(config: Readonly<Record<string, string | null>>): Labels {
  return Object.fromEntries(
    Object.entries(config).flatMap(([key, value]) =>
      key.startsWith(LABEL_PREFIX) ? [[key.slice(LABEL_PREFIX.length), value ?? '']] : [],
    ),
  );
}

/** @throws ConnectError `CLI_USAGE` */
export function parseSelector(text: string): Selector {
  const requirements = text.split(',').map((part) => {
    const [, not, name = '', operator, value = ''] = REQUIREMENT.exec(part.trim()) ?? [];
    if (!isLabelName(name.trim()) || (not === '!' && operator !== undefined))
      throw new ConnectError(
        `"${part.trim()}" is not a label selector; write for example team=a, team!=a, team or !team, separated by commas.`,
        { code: 'CLI_USAGE' },
      );
    return { name: name.trim(), isNegated: not === '!' || operator === '!=', value: operator && value.trim() };
  });
  return (labels) =>
    requirements.every(({ name, isNegated, value }) => {
      const found = Object.hasOwn(labels, name) ? labels[name] : undefined;
      return isNegated !== (value === undefined ? found !== undefined : found === value);
    });
}
