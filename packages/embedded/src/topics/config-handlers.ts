/**
 * DescribeConfigs, AlterConfigs, IncrementalAlterConfigs. Topic configs can be altered, broker configs are read-only.
 */
import { handles, type Handler } from '../requests/handler';
import { ALTER_CONFIGS, DESCRIBE_CONFIGS, INCREMENTAL_ALTER_CONFIGS } from '@millrace/kafka-protocol';
import { ErrorCode } from '../protocol/errors';
import { configDefinition, configProblem, listOf, TOPIC_CONFIGS, type ConfigType } from './config-definitions';
import type { TopicRegistry } from './registry';
import type { Topic } from './topic';

export const ConfigSource = { TOPIC: 1, STATIC_BROKER: 4, DEFAULT: 5 } as const;
const ResourceType = { TOPIC: 2, BROKER: 4 } as const;
const Operation = { SET: 0, DELETE: 1, APPEND: 2, SUBTRACT: 3 } as const;
/** Type numbers of DescribeConfigs. */
const TYPE_NUMBERS: Record<ConfigType, number> = { boolean: 1, string: 2, int: 3, long: 5, double: 6, list: 7 };

export interface ConfigHandlerDeps {
  readonly topics: TopicRegistry;
  readonly nodeId: number;
  /** Configs described for the broker, with Apache Kafka's names. */
  readonly brokerConfigs: ReadonlyMap<string, string>;
}

interface Resource {
  readonly resourceType: number;
  readonly resourceName: string;
}

interface Outcome {
  readonly errorCode: number;
  readonly errorMessage: string | null;
}

const OK: Outcome = { errorCode: ErrorCode.NONE, errorMessage: null };

export function configHandlers({ topics, nodeId, brokerConfigs }: ConfigHandlerDeps): ReadonlyMap<number, Handler> {
  const fail = (error: keyof typeof ErrorCode, errorMessage: string): Outcome => ({
    errorCode: ErrorCode[error],
    errorMessage,
  });

  const topicConfigs = (topic: Topic, includeSynonyms: boolean) =>
    TOPIC_CONFIGS.map(({ name, type, default: preset }) => {
      const value = topic.configs.get(name) ?? preset;
      const configSource = topic.configs.has(name) ? ConfigSource.TOPIC : ConfigSource.DEFAULT;
      const own = topic.configs.has(name) ? [{ name, value, source: ConfigSource.TOPIC }] : [];
      const synonyms = includeSynonyms ? [...own, { name, value: preset, source: ConfigSource.DEFAULT }] : [];
      return { name, value, configSource, synonyms, configType: TYPE_NUMBERS[type] };
    });

  const brokerEntries = () =>
    [...brokerConfigs].map(([name, value]) => ({
      name,
      value,
      readOnly: true,
      configSource: ConfigSource.STATIC_BROKER,
      configType: TYPE_NUMBERS.string,
    }));

  /** @param change returns the topic's explicit configs after the change, or an error message */
  const alter = (
    resource: Resource,
    validateOnly: boolean,
    change: (topic: Topic) => Map<string, string> | string,
  ): Resource & Outcome => {
    const { resourceType, resourceName } = resource;
    const outcomeFor = (outcome: Outcome) => ({ resourceType, resourceName, ...outcome });
    if (resourceType !== ResourceType.TOPIC) {
      return outcomeFor(fail('INVALID_REQUEST', 'The embedded broker can only alter topic configs.'));
    }
    const topic = topics.get(resourceName);
    if (!topic) return outcomeFor(fail('UNKNOWN_TOPIC_OR_PARTITION', `The topic '${resourceName}' does not exist.`));
    const configs = change(topic);
    if (typeof configs === 'string') return outcomeFor(fail('INVALID_CONFIG', configs));
    if (!validateOnly) topics.configure(topic, configs);
    return outcomeFor(OK);
  };

  return new Map([
    handles(DESCRIBE_CONFIGS, ({ resources, includeSynonyms }) => ({
      results: resources.map(({ resourceType, resourceName, configurationKeys }) => {
        const at = { resourceType, resourceName };
        const requested = ({ name }: { name: string }): boolean => configurationKeys?.includes(name) ?? true;
        if (resourceType === ResourceType.BROKER) {
          const isThis = resourceName === '' || resourceName === String(nodeId);
          if (!isThis) return { ...at, ...fail('INVALID_REQUEST', `Unexpected broker id, expected ${nodeId}.`) };
          return { ...at, ...OK, configs: resourceName === '' ? [] : brokerEntries().filter(requested) };
        }
        if (resourceType !== ResourceType.TOPIC) return { ...at, ...OK, configs: [] };
        const topic = topics.get(resourceName);
        if (!topic)
          return { ...at, ...fail('UNKNOWN_TOPIC_OR_PARTITION', `The topic '${resourceName}' does not exist.`) };
        return { ...at, ...OK, configs: topicConfigs(topic, includeSynonyms).filter(requested) };
      }),
    })),

    handles(ALTER_CONFIGS, ({ resources, validateOnly }) => ({
      responses: resources.map(({ configs, ...resource }) =>
        alter(resource, validateOnly, () => {
          for (const { name, value } of configs) {
            const problem = configProblem(name, value);
            if (problem) return problem;
          }
          return new Map(configs.map(({ name, value }) => [name, value as string]));
        }),
      ),
    })),

    handles(INCREMENTAL_ALTER_CONFIGS, ({ resources, validateOnly }) => ({
      responses: resources.map(({ configs, ...resource }) =>
        alter(resource, validateOnly, (topic) => {
          const changed = new Map(topic.configs);
          for (const { name, configOperation, value } of configs) {
            const problem = applyOperation(changed, name, configOperation, value);
            if (problem) return problem;
          }
          return changed;
        }),
      ),
    })),
  ]);
}

/** Modifies `configs`. Returns an error message for an invalid operation, otherwise null. */
function applyOperation(
  configs: Map<string, string>,
  name: string,
  operation: number,
  value: string | null,
): string | null {
  const definition = configDefinition(name);
  if (operation === Operation.DELETE && definition) {
    configs.delete(name);
    return null;
  }
  if (operation !== Operation.SET && definition?.type !== 'list') {
    return definition ? `Config value append is not allowed for config key: ${name}` : configProblem(name, value);
  }
  let next = value;
  if (operation === Operation.APPEND || operation === Operation.SUBTRACT) {
    const present = listOf(configs.get(name) ?? definition!.default);
    const given = listOf(value ?? '');
    const kept = present.filter((part) => !given.includes(part));
    next = (
      operation === Operation.APPEND ? [...present, ...given.filter((part) => !present.includes(part))] : kept
    ).join();
  } else if (operation !== Operation.SET) {
    return `Unknown operation ${operation} on ${name}`;
  }
  const problem = configProblem(name, next);
  if (problem === null) configs.set(name, next as string);
  return problem;
}
