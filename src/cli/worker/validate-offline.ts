/** Validation without a worker: with the plugins of this installation, as a worker with the same settings validates. */
import type { Invocation } from '@millrace/cli';
import {
  type ConnectorDocument,
  type FieldErrors,
  foundIn,
  sideBySide,
  type Validated,
} from '@millrace/cli/connectors';
import { addProvidedValue, HIDDEN, isSecret, redactText, TEXT_LIMIT } from '@millrace/texts/redaction';
import { type ConnectorConfig, settledWithin } from '@millrace/sdk';
import type { ConfigResolver } from '../../config/providers/config-resolver';
import type { ConfigValidator } from '../../config/validation/config-infos';
import { ValidationError } from '../../config/validation/validation-error';
import { LogLevels } from '../../logging/log-levels';
import { createPluginHost } from '../../plugin-host/create-host';
import { didYouMean, nearestClasses } from '../../plugins/missing-class';
import type { PluginRegistry } from '../../plugins/registry';
import { commandConfig } from './command-config';
import { commandPlugins } from './command-plugins';
import { pluginOptions } from './read-config';
import { consoleOnStderr, stderrLogger } from './stderr-logger';

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
  const { registry, jvmChannel, jarProviders, close } = await commandPlugins(config, logger, levels);
  resolver.useJars(jarProviders);
  const { pluginHost, validator } = createPluginHost(config.taskHost, {
    ...{ config, registry, resolver, logger, levels, jvmChannel },
  });
  try {
    return await sideBySide(documents, async ({ name, place, config: document }) => {
      // A worker that cannot validate a config reports the reason, too, and validates the next one.
      const { fields, warnings } = await validateHere(document, { registry, validator, resolver }).catch(
        (error: unknown): Found => ({
          fields: [classError(document, error instanceof Error ? error : new Error(String(error)))],
        }),
      );
      const errorsOf = (errors: readonly string[]): string[] =>
        errors.map((error) => redactText(error, TEXT_LIMIT, null));
      return {
        ...{ name, place, fields: fields.map((field) => ({ ...field, errors: errorsOf(field.errors) })) },
        ...(warnings && { warnings }),
      };
    });
  } finally {
    await settledWithin(Promise.all([pluginHost.close(), close()]), CLOSE_MS, undefined);
  }
}

export interface Installation {
  readonly registry: PluginRegistry;
  readonly validator: Pick<ConfigValidator, 'validate'>;
  readonly resolver: Pick<ConfigResolver, 'resolve'>;
}

type Found = Pick<Validated, 'fields' | 'warnings'>;

const CLASS = 'connector.class';

/** No fields if the config is valid. Rejects if the plugin cannot be loaded or its code fails. */
export async function validateHere(
  config: ConnectorConfig,
  { registry, validator, resolver }: Installation,
): Promise<Found> {
  hideSecrets(config);
  const { [CLASS]: className = '' } = await resolver.resolve({ [CLASS]: config[CLASS] ?? '' }, { owner: null });
  try {
    if (className !== '' && registry.find(className, ['source', 'sink']) === null)
      return { fields: [notInstalled(config, className, registry)] };
    // Lines that the plugin logs meanwhile may quote the values.
    await resolver.resolve(config, { owner: null });
    return foundIn(await validator.validate(config));
  } catch (error) {
    if (error instanceof ValidationError) return { fields: [classError(config, error)] };
    throw error;
  }
}

/** The class as it was given: a config provider may have its value. */
function classError(config: ConnectorConfig, { message }: Error): FieldErrors {
  return { key: CLASS, value: config[CLASS] ?? null, errors: [message] };
}

/** As in a worker's log, but also for values that no config provider has. */
export function hideSecrets(config: ConnectorConfig): void {
  const entries = Object.entries(config);
  const open = new Set(entries.flatMap(([key, value]) => (isSecret(key, value) ? [] : [value])));
  for (const [key, value] of entries)
    // A value that another key shows is not a secret: hiding a user's name would hide what is wrong.
    if (isSecret(key, value) && !open.has(value)) addProvidedValue(value, HIDDEN, null);
}

function notInstalled(config: ConnectorConfig, className: string, registry: PluginRegistry): FieldErrors {
  const connectors = registry.list().filter(({ type }) => type === 'source' || type === 'sink');
  const classes = [...new Set(connectors.map((plugin) => plugin.class))];
  const [
    question = 'Install its package, or name its folder with --plugin-path or with plugin.path of the worker settings.',
  ] = didYouMean(nearestClasses(className, classes));
  return {
    ...classError(config, new Error(`${className} is not installed here. ${question}`)),
    recommended: classes,
  };
}
