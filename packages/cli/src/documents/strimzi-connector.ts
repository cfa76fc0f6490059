/** A `KafkaConnector` of Strimzi as a connector: `{ name, config, initial_state }`. Pure. */

type Mapping = Readonly<Record<string, unknown>>;

const KIND = 'KafkaConnector';

/** Documents of other forms as they are. Members that only the operator reads, such as `autoRestart`, are left out. */
export function withoutStrimzi(value: unknown): unknown {
  if (!isMapping(value) || value.kind !== KIND || !String(value.apiVersion).startsWith('kafka.strimzi.io/'))
    return value;
  const { metadata, spec } = value;
  if (!isMapping(spec)) throw new Error(`the ${KIND} has no "spec"`);
  const { class: className, tasksMax, version, config, state, pause } = spec;
  const given = {
    ...(isMapping(config) ? config : {}),
    ...(className != null && { 'connector.class': className }),
    ...(tasksMax != null && { 'tasks.max': tasksMax }),
    ...(version != null && { 'connector.plugin.version': version }),
  };
  const initial = state ?? (pause === 'true' ? 'paused' : null);
  return {
    name: isMapping(metadata) ? metadata.name : null,
    config: given,
    ...(initial !== null && { initial_state: initial }),
  };
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
