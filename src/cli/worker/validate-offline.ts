/** `millrace validate --offline` */
import { settledWithin } from '@millrace/sdk';
import { builtInPlugins } from '../../built-in-plugins';
import { TEXT_LIMIT } from '../../logging/bounded-text';
import { LogLevels } from '../../logging/log-levels';
import { redactText } from '../../logging/redact';
import { createPluginHost } from '../../plugin-host/create-host';
import { createPluginRegistry } from '../../plugins/create-registry';
import type { Validated } from '../connectors/validate-configs';
import type { ConnectorDocument } from '../documents/connector-document';
import type { Invocation } from '../program/command-spec';
import { sideBySide } from '../rest/clients';
import { commandConfig } from './command-config';
import { pluginOptions } from './read-config';
import { consoleOnStderr, stderrLogger } from './stderr-logger';
import { classError, validateHere } from './validate-here';

/** For plugin threads to end, ms. */
const CLOSE_MS = 5_000;

/**
 * In the order of the documents. Plugins run in plugin threads with their time limits, as in a worker.
 * @param invocation has the options of the worker settings
 * @throws ConnectError about a worker setting
 */
export async function validateOffline(
  documents: readonly ConnectorDocument[],
  invocation: Pick<Invocation, 'options' | 'io'>,
): Promise<readonly Validated[]> {
  // With task.host=inline, plugins run in this thread.
  consoleOnStderr();
  const { io } = invocation;
  const { config, resolver } = await commandConfig(pluginOptions(invocation), io);
  const logger = stderrLogger(io);
  const levels = new LogLevels('WARN');
  const registry = createPluginRegistry({ pluginPath: config.pluginPath, builtIns: builtInPlugins, logger });
  const { pluginHost, validator } = createPluginHost(config.taskHost, { config, registry, resolver, logger, levels });
  try {
    return await sideBySide(documents, async ({ name, place, config: document }) => {
      // A worker that cannot validate a config reports the reason, too, and validates the next one.
      const fields = await validateHere(document, { registry, validator, resolver }).catch((error: unknown) => [
        classError(document, error instanceof Error ? error : new Error(String(error))),
      ]);
      const errorsOf = (errors: readonly string[]): string[] =>
        errors.map((error) => redactText(error, TEXT_LIMIT, null));
      return { name, place, fields: fields.map((field) => ({ ...field, errors: errorsOf(field.errors) })) };
    });
  } finally {
    await settledWithin(pluginHost.close(), CLOSE_MS, undefined);
  }
}
