/** The plugin that the package exports. */
import type { ConfigKey, ConfigProblem, ConnectorConfig, SinkConnector, WorkerSettings } from '@millrace/sdk';
import { isOlder, otherNames } from './config/canonical';
import { checkConfig } from './config/check';
import { DEFINITIONS, type Definition } from './config/definitions';
import { AnalyticsSinkTask } from './task';

function configKeys(): readonly ConfigKey[] {
  const byName = new Map<string, Definition>(DEFINITIONS.map((definition) => [definition.name, definition]));
  const others = [...otherNames()].map(([name, current]): ConfigKey => {
    const { type = 'STRING', accepts } = byName.get(current) ?? {};
    return {
      name,
      type,
      default: null,
      importance: 'LOW',
      documentation: `Alias of ${current}.`,
      group: 'Other spellings',
      ...(accepts ? { accepts } : {}),
      aliasOf: current,
      deprecated: isOlder(name),
    };
  });
  return [...DEFINITIONS.map(shownKey), ...others];
}

function shownKey({ constraint: _, required, ...key }: Definition): ConfigKey {
  return required ? { ...key, requiredUnless: [] } : key;
}

/** Without requests to the service. */
function checkKeys(config: ConnectorConfig, workerSettings: WorkerSettings): readonly ConfigProblem[] {
  return checkConfig(config, workerSettings).problems;
}

export const analyticsSink: SinkConnector = {
  type: 'sink',
  config: configKeys(),
  validatesValues: true,
  validate: checkKeys,
  checkKeys,
  createTask: () => new AnalyticsSinkTask(),
  // No state outside Kafka depends on the offsets.
  alterOffsets: () => true,
};
