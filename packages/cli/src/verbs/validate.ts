/** `millrace validate`: validates connector files on a worker, or without one. */
import { ConnectError } from '@millrace/sdk';
import { validateConfigs, type Validated, validationText } from '../connectors/validate-configs';
import type { ConnectorDocument } from '../documents/connector-document';
import { readDocuments } from '../documents/read-documents';
import { EXIT } from '../exit-codes';
import { writeAnswer } from '../output/answer';
import type { Invocation, VerbSpec } from '../program/command-spec';
import { PLUGIN_OPTIONS, RECURSIVE } from '../program/shared-options';
import { withClient } from '../rest/clients';

/** Validates the documents with the plugins and the worker settings that the options name. */
export type ValidateOffline = (
  documents: readonly ConnectorDocument[],
  invocation: Invocation,
) => Promise<readonly Validated[]>;

/** @param validateOffline validation without a worker */
export const validateCommand = (validateOffline: ValidateOffline): VerbSpec => ({
  name: 'validate',
  description: `Validate connector files on a worker; exit code 5 if one is invalid.

With --offline no worker is needed: the plugins of this installation validate here, with the worker settings of --config. A connector that connects to its database to validate connects from here.`,
  arguments: [{ name: '<file...>', description: 'files, folders, or - for standard input', completes: 'files' }],
  options: [
    RECURSIVE,
    { flags: '--offline', description: 'validate here, without a worker, with the plugins of this installation' },
    ...PLUGIN_OPTIONS,
  ],
  shared: ['server', 'output'],
  examples: [
    { command: 'validate todos-source.json', explanation: 'The errors of each field' },
    { command: 'validate --offline -R connectors/', explanation: 'Without a worker, in a CI job for example' },
  ],
  run: (invocation) => run(invocation, validateOffline),
});

async function run(invocation: Invocation, validateOffline: ValidateOffline): Promise<number> {
  const validated = validatorOf(invocation, validateOffline);
  const { recursive } = invocation.options as { recursive?: boolean };
  const documents = await readDocuments({ paths: invocation.args, isRecursive: recursive }, invocation.io);
  const results = await validated(documents);
  writeAnswer(invocation, results, () => validationText(results));
  return results.some(({ fields }) => fields.length > 0) ? EXIT.no : EXIT.success;
}

/** @throws ConnectError `CLI_USAGE` for options that do not apply */
function validatorOf(
  invocation: Invocation,
  validateOffline: ValidateOffline,
): (documents: readonly ConnectorDocument[]) => Promise<readonly Validated[]> {
  const { offline, url, context, config, pluginPath } = invocation.options as Record<string, unknown>;
  if (offline !== true) {
    if (config !== undefined || pluginPath !== undefined)
      throw usage('--config and --plugin-path are settings of --offline; a worker validates with its own.');
    return (documents) => withClient(invocation, (client) => validateConfigs(client, documents));
  }
  if (url !== undefined || context !== undefined) throw usage('--offline asks no worker: omit --url and --context.');
  return (documents) => validateOffline(documents, invocation);
}

function usage(message: string): ConnectError {
  return new ConnectError(message, { code: 'CLI_USAGE' });
}
