/**
 * The transformation chain of a connector config, with its predicates. Source:
 * connect-runtime §7.1.
 */
import {
  ConfigError,
  type ConfigKey,
  type ConfiguredPlugin,
  type ConnectorConfig,
  type Predicate,
  type PredicatePlugin,
  type ProcessingStep,
  type TaskOwner,
  type Transformation,
  type TransformationContext,
  type TransformationPlugin,
  messageOf,
} from '@millrace/sdk';
import { withoutPrefix } from '../config/client-config';
import { parseList } from '../config/config-parse';
import { checkKey } from '../config/validation/entry';
import type { Logger } from '../logging/logger';
import type { PluginRegistry } from '../plugins/registry';
import { TransformationChain, type ChainStep } from '../transforms/chain';

/** The task that a chain is configured for, and what it is made of. */
export interface ChainOwner {
  readonly registry: PluginRegistry;
  /** The task's. */
  readonly logger: Logger;
  readonly owner: TaskOwner;
}

/** The steps of the chain, whether or not this worker has their plugins. Throws ConfigError. */
export function configuredSteps(connector: ConnectorConfig): ProcessingStep[] {
  return [...new Set(parseList(connector.transforms ?? ''))].map((alias) => {
    const name = `transforms.${alias}`;
    // These two belong to the chain, even if the transformation has keys of the same names.
    const { predicate, negate, ...settings } = withoutPrefix(connector, `${name}.`);
    if (negate !== undefined && predicate === undefined) {
      throw new ConfigError(`${name}.negate needs ${name}.predicate, the alias of the predicate to be negated.`, {
        code: 'TRANSFORM_CONFIG',
      });
    }
    return {
      alias,
      transformation: configuredPlugin(settings),
      predicate: predicate === undefined ? null : chainPredicate(name, predicate.trim(), connector),
      negate: negate?.trim().toLowerCase() === 'true',
    };
  });
}

/**
 * Null: no steps. Throws ConfigError, after closing the transformations configured so far.
 */
export async function taskTransforms(
  configuredAs: readonly ProcessingStep[],
  of: ChainOwner,
): Promise<TransformationChain | null> {
  if (configuredAs.length === 0) return null;
  const steps: ChainStep[] = [];
  try {
    for (const step of configuredAs) steps.push(await chainStep(step, of));
  } catch (error) {
    new TransformationChain(steps).close();
    throw error;
  }
  return new TransformationChain(steps);
}

/** Logs errors and continues. */
export function closeTransforms(chain: TransformationChain, logger: Logger): void {
  for (const error of chain.close()) {
    logger.warn(`Ignoring an error while closing a transformation: ${messageOf(error)}`, { error });
  }
}

async function chainStep(step: ProcessingStep, of: ChainOwner): Promise<ChainStep> {
  const { alias, transformation, predicate, negate } = step;
  const { registry, logger } = of;
  const name = `transforms.${alias}`;
  const { plugin, className } = await load<TransformationPlugin>('transformation', name, transformation, registry);
  const test = predicate && (await loadedPredicate(predicate, of));
  const context = { logger: logger.child({ transformation: alias }, className), owner: of.owner, alias };
  const { settings } = transformation;
  return {
    transformation: configured<Transformation>({ name, className, plugin, settings, context }),
    className,
    predicate: test,
    negate,
  };
}

async function loadedPredicate(
  predicate: NonNullable<ProcessingStep['predicate']>,
  { registry, logger, owner }: ChainOwner,
): Promise<Predicate> {
  const { alias, settings } = predicate;
  const name = `predicates.${alias}`;
  const { plugin, className } = await load<PredicatePlugin>('predicate', name, predicate, registry);
  const context = { logger: logger.child({ predicate: alias }, className), owner, alias };
  return configured<Predicate>({ name, className, plugin, settings, context });
}

function chainPredicate(
  transformation: string,
  alias: string,
  connector: ConnectorConfig,
): ProcessingStep['predicate'] {
  const name = `predicates.${alias}`;
  if (!parseList(connector.predicates ?? '').includes(alias)) {
    throw new ConfigError(
      `${transformation}.predicate names "${alias}", which "predicates" does not list: add it there and set ${name}.type.`,
      { code: 'PREDICATE_UNKNOWN' },
    );
  }
  return { alias, ...configuredPlugin(withoutPrefix(connector, `${name}.`)) };
}

function configuredPlugin(settings: ConnectorConfig): ConfiguredPlugin {
  return { name: settings.type?.trim() ?? '', settings };
}

/** The plugin that `<name>.type` names. */
async function load<P extends TransformationPlugin | PredicatePlugin>(
  kind: P['type'],
  name: string,
  { name: type, settings }: ConfiguredPlugin,
  registry: PluginRegistry,
): Promise<{ plugin: P; className: string }> {
  const description = registry.find(type, kind, settings['plugin.version']);
  if (!description) {
    throw new ConfigError(
      `${name}.type is "${type}", but no ${kind} of that name is installed in this worker: correct it, or install the plugin.`,
      { code: 'TRANSFORM_UNKNOWN' },
    );
  }
  return { plugin: (await registry.load(description)) as P, className: description.class };
}

interface Configurable<T> {
  readonly name: string;
  readonly className: string;
  readonly plugin: { readonly config: readonly ConfigKey[]; create(): T };
  readonly settings: ConnectorConfig;
  /** The logger is named after the class, as in Java, so that a level for `io.debezium.transforms` applies. */
  readonly context: TransformationContext;
}

/**
 * Validates the keys again: a stored config may have been validated by another release of the plugin, or never.
 */
function configured<T extends Transformation | Predicate>(of: Configurable<T>): T {
  const { name, className, plugin, settings, context } = of;
  const fail = (reason: string, cause?: unknown): never => {
    throw new ConfigError(`${name} (${className}) cannot be configured: ${reason}`, {
      code: 'TRANSFORM_CONFIG',
      cause,
    });
  };
  const problems = plugin.config.flatMap((key) => checkKey(key, settings).errors);
  if (problems.length > 0) fail(problems.join(' '));
  try {
    const part = plugin.create();
    part.configure(settings, context);
    return part;
  } catch (error) {
    return fail(messageOf(error), error);
  }
}
