/** A connector as a file describes it. */
import { ConnectError } from '@millrace/sdk';
import type { InitialState } from '@millrace/texts/rest-names';

export interface ConnectorDocument {
  readonly name: string;
  /** As a worker returns it: with `name`, and with the labels as keys. `${NAME}` is replaced. */
  readonly config: Readonly<Record<string, string>>;
  /** For `POST /connectors`; the state is not part of the config. */
  readonly initialState?: InitialState;
  /** File, and which of its documents; for messages. */
  readonly place: string;
}

/** Bytes of a file. */
export const LARGEST_FILE = 1024 * 1024;
/** Files of a command line. */
export const MOST_FILES = 5000;
/** Connectors of a command line. */
export const MOST_DOCUMENTS = 5000;
const SHOWN_PROBLEMS = 20;

/** One or more problems, each a sentence that begins with its place. */
export function invalidDocuments(problems: readonly string[], cause?: unknown): ConnectError {
  const shown = problems.slice(0, SHOWN_PROBLEMS).map((problem) => `\n  ${problem}`);
  const more = problems.length - shown.length;
  const message =
    problems.length === 1
      ? (problems[0] as string)
      : `${problems.length} problems in connector documents:${shown.join('')}${more > 0 ? `\n  and ${more} more` : ''}`;
  return new ConnectError(message, { code: 'CLI_DOCUMENT_INVALID', cause });
}

/**
 * Labels of connectors. Connect has none, so that they are keys of the config with a prefix, which workers ignore.
 * Selectors choose connectors by label, as in kubectl: `team=a,env!=test,critical,!old`.
 */
export const LABEL_PREFIX = 'millrace.label.';
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,98}[A-Za-z0-9])?$/;
const REQUIREMENT = /^(!?)([^=!]+)(?:(!=|==?)(.*))?$/;

export type Labels = Readonly<Record<string, string>>;
type Selector = (labels: Labels) => boolean;

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
