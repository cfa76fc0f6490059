/** The lines about a connector's config. Only keys are checked: nothing connects. */
import { type ConnectorDocument, foundIn } from '@millrace/cli/connectors';
import { type ConfigWarning, messageOf } from '@millrace/sdk';
import { classDifferences } from '../../../../config/differences/class-differences';
import { connectorDifferences } from '../../../../config/differences/connector-differences';
import type { ConfigValidator } from '../../../../config/validation/config-infos';
import { ValidationError } from '../../../../config/validation/validation-error';
import type { PluginRegistry } from '../../../../plugins/registry';
import type { Line, Place, Source } from './report';

export interface Installation {
  readonly registry: PluginRegistry;
  readonly validator: Pick<ConfigValidator, 'validate'>;
}

export async function connectorSource(
  { name, place, config }: ConnectorDocument,
  installation: Installation,
): Promise<Source> {
  const classes = classDifferences(config, installation.registry);
  const named = new Set(classes.flatMap(({ kind, key }) => (kind === 'rejected' ? [key] : [])));
  const runs = named.has('connector.class') ? NOWHERE : placeOf(config, installation.registry);
  // A jar checks its config as it does in Java.
  const validated = runs.where === 'natively' ? await validation(config, installation.validator) : [];
  const own = [...classes, ...connectorDifferences(config)];
  const ownKeys = new Set(own.map(({ key }) => key));
  // A class is described better than its error, and a difference better than its warning.
  const found = validated.filter(({ kind, key }) => !(kind === 'rejected' ? named : ownKeys).has(key ?? ''));
  const lines: readonly Line[] = [...own, ...found];
  const differing = new Set(lines.map(({ key }) => key));
  // A connector without a plugin does not work at all.
  const same = named.has('connector.class') ? 0 : Object.keys(config).filter((key) => !differing.has(key)).length;
  return { type: 'connector', name, place, lines, same, runs };
}

const NOWHERE: Place = { where: 'nowhere', location: null };

function placeOf(config: ConnectorDocument['config'], registry: PluginRegistry): Place {
  try {
    const found = registry.find(
      config['connector.class'] ?? '',
      ['source', 'sink'],
      config['connector.plugin.version'],
    );
    // Without a class, or with a placeholder, validation tells what is wrong.
    return { where: found?.java === true ? 'jvm' : 'natively', location: found?.location ?? null };
  } catch {
    return NOWHERE;
  }
}

async function validation(
  config: ConnectorDocument['config'],
  validator: Installation['validator'],
): Promise<readonly Line[]> {
  const rejected = (key: string, message: string): Line => ({ kind: 'rejected', key, message, instead: null });
  try {
    const { fields, warnings = [] } = foundIn(await validator.validate(config, 'keys'));
    return [
      ...fields.flatMap(({ key, errors }) => errors.map((error) => rejected(key, error))),
      ...warnings.map(warningLine),
    ];
  } catch (error) {
    if (error instanceof ValidationError) return [rejected('connector.class', error.message)];
    return [rejected('connector.class', `The config was not checked: ${messageOf(error)}`)];
  }
}

function warningLine({ key, message, meant, replaced }: ConfigWarning): Line {
  if (meant === null) return { kind: 'ignored', key, message, instead: null };
  return replaced === true
    ? { kind: 'replaced', key, message: `Its name is now ${meant}.`, instead: null }
    : { kind: 'ignored', key, message: 'It is not a known key.', instead: `Did you mean ${meant}?` };
}
