/** Validates configs as a worker does when it is given them. */
import type { ConfigWarning } from '@millrace/sdk';
import { HIDDEN, isSecret, redactText } from '@millrace/texts/redaction';
import type { ConnectorDocument } from '../documents/connector-document';
import { printable } from '../output/printable';
import { sideBySide } from '../rest/clients';
import type { ConnectClient } from '../rest/connect-client';
import { path, RestError } from '../rest/reply';

export interface FieldErrors {
  readonly key: string;
  /** Masked for secrets; null if the key is missing. */
  readonly value: string | null;
  readonly errors: readonly string[];
  readonly documentation?: string;
  readonly recommended?: readonly string[];
}

/** What is read of the response to a validation, connect-rest §3.1. */
interface ConfigInfos {
  readonly configs?: readonly {
    readonly definition: { readonly type: string; readonly documentation?: string } | null;
    readonly value: {
      readonly name: string;
      readonly value: string | null;
      readonly recommended_values: readonly string[];
      readonly errors: readonly string[];
    } | null;
  }[];
  readonly warnings?: readonly ConfigWarning[];
}

export interface Validated {
  readonly name: string;
  readonly place: string;
  readonly fields: readonly FieldErrors[];
  /** (Default: none) */
  readonly warnings?: readonly ConfigWarning[];
  /** The caller lacks the role for the other checks: connections, files, values of config providers. */
  readonly onlyKeys?: true;
}

/** In the order of the documents. Rejects if the worker cannot be asked at all. */
export async function validateConfigs(
  client: ConnectClient,
  documents: readonly ConnectorDocument[],
): Promise<readonly Validated[]> {
  return await sideBySide(documents, async ({ name, place, config }) => {
    const plugin = config['connector.class'] as string;
    let onlyKeys = false as boolean;
    try {
      const infos = await client.request<ConfigInfos>(path`/connector-plugins/${plugin}/config/validate`, {
        method: 'PUT',
        body: config,
        onHeaders: (headers) => (onlyKeys = headers['millrace-validation'] === 'keys'),
      });
      return { name, place, ...foundIn(infos), ...(onlyKeys && { onlyKeys: true as const }) };
    } catch (error) {
      // An unknown class, for example; without access no config can be validated.
      if (!(error instanceof RestError) || error.status === 401 || error.status === 403) throw error;
      return {
        name,
        place,
        fields: [{ key: 'connector.class', value: plugin, errors: [withClassNames(error.message)] }],
      };
    }
  });
}

/** Java's message begins with the exception, and lists all plugins with all of their properties. */
function withClassNames(message: string): string {
  return message
    .replace(/^(?:\w+\.)+\w+Exception: /, '')
    .replaceAll(/PluginDesc\{klass=class ([\w.$]+),[^{}]*\}/g, '$1');
}

/** What the output and `-o json` show of a validation. */
export function foundIn(infos: ConfigInfos): Pick<Validated, 'fields' | 'warnings'> {
  return { fields: fieldErrors(infos), ...(infos.warnings && { warnings: infos.warnings }) };
}

function fieldErrors({ configs = [] }: ConfigInfos): readonly FieldErrors[] {
  return configs.flatMap(({ definition, value }) => {
    if (!value || value.errors.length === 0) return [];
    const isHidden = definition?.type === 'PASSWORD' || isSecret(value.name, value.value ?? '');
    return [
      {
        key: value.name,
        value: value.value === null ? null : isHidden ? HIDDEN : redactText(value.value),
        errors: value.errors.map((error) => (isHidden && value.value ? error.replaceAll(value.value, HIDDEN) : error)),
        ...(definition?.documentation && { documentation: definition.documentation }),
        ...(value.recommended_values.length > 0 && { recommended: value.recommended_values }),
      },
    ];
  });
}

const VALID_KEYS = 'its keys are valid; what it connects to is checked for the role admin only';

/** The errors of each invalid connector, then the valid ones; warnings follow their connector. */
export function validationText(results: readonly Validated[]): string {
  const invalid = results.filter(({ fields }) => fields.length > 0);
  const lines = invalid.flatMap(({ name, place, fields, warnings }) => [
    `${printable(name)} (${place}): invalid`,
    ...fields.flatMap(({ key, value, errors, documentation, recommended = [] }) => [
      ...errors.map(
        (error) => `  ${printable(key)}${value === null ? '' : ` = ${printable(value)}`}: ${printable(error)}`,
      ),
      // An error that names what is probably meant needs no list of all.
      ...(recommended.length === 0 || errors.some((error) => recommended.some((one) => error.includes(one)))
        ? []
        : [`    one of: ${printable(recommended.slice(0, 20).join(', '))}`]),
      ...(documentation ? [`    ${printable(documentation).slice(0, 300)}`] : []),
    ]),
    ...warningLines(warnings),
  ]);
  const valid = results
    .filter(({ fields }) => fields.length === 0)
    .flatMap(({ name, onlyKeys, warnings }) => [
      `${printable(name)}: ${onlyKeys ? VALID_KEYS : 'valid'}`,
      ...warningLines(warnings),
    ]);
  return [...lines, ...valid].map((line) => `${line}\n`).join('');
}

export function warningLines(warnings: Validated['warnings'] = []): readonly string[] {
  return warnings.map(({ message }) => `  warning: ${printable(message)}`);
}
