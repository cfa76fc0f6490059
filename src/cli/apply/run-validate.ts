/** `millrace validate` */
import { ConnectError } from '@millrace/sdk';
import type { ConnectorDocument } from '../documents/connector-document';
import { readDocuments } from '../documents/read-documents';
import { EXIT } from '../exit-codes';
import type * as Offline from '../worker/validate-offline';
import { writeAnswer } from '../output/answer';
import type { Invocation } from '../program/command-spec';
import { withClient } from '../rest/clients';
import { pluginOptions } from '../worker/read-config';
import { validateConfigs, type Validated, validationText } from '../connectors/validate-configs';

export async function run(invocation: Invocation): Promise<number> {
  const validated = validatorOf(invocation);
  const { recursive } = invocation.options as { recursive?: boolean };
  const documents = await readDocuments({ paths: invocation.args, isRecursive: recursive }, invocation.io);
  const results = await validated(documents);
  writeAnswer(invocation, results, () => validationText(results));
  return results.some(({ fields }) => fields.length > 0) ? EXIT.no : EXIT.success;
}

/** @throws ConnectError `CLI_USAGE` for options that do not apply */
function validatorOf(
  invocation: Invocation,
): (documents: readonly ConnectorDocument[]) => Promise<readonly Validated[]> {
  const { offline, url, context, config, pluginPath } = invocation.options as Record<string, unknown>;
  if (offline !== true) {
    if (config !== undefined || pluginPath !== undefined)
      throw usage('--config and --plugin-path are settings of --offline; a worker validates with its own.');
    return (documents) => withClient(invocation, (client) => validateConfigs(client, documents));
  }
  if (url !== undefined || context !== undefined) throw usage('--offline asks no worker: omit --url and --context.');
  // Plugins and their validation take time to load, which a request to a worker does not need.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { validateOffline } = require('../worker/validate-offline') as typeof Offline;
  return (documents) => validateOffline(documents, pluginOptions(invocation), invocation.io);
}

function usage(message: string): ConnectError {
  return new ConnectError(message, { code: 'CLI_USAGE' });
}
