/**
 * Variables of common images of Java Connect: Debezium's, Confluent's, Strimzi's and Redpanda's. Those without an
 * effect here are named in the log. Pure. Sources: the start scripts of these images.
 */
import { ConfigError } from '@millrace/sdk';
import { parseListener, type Listener } from './listeners';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting's text, and the environment variable that it is from. */
export interface FromVariable {
  readonly value: string;
  readonly variable: string;
}

/** Debezium's short names of settings. */
export const SHORT_NAMES: Readonly<Record<string, string>> = {
  BOOTSTRAP_SERVERS: 'bootstrap.servers',
  GROUP_ID: 'group.id',
  CONFIG_STORAGE_TOPIC: 'config.storage.topic',
  OFFSET_STORAGE_TOPIC: 'offset.storage.topic',
  STATUS_STORAGE_TOPIC: 'status.storage.topic',
  KEY_CONVERTER: 'key.converter',
  VALUE_CONVERTER: 'value.converter',
  ADVERTISED_HOST_NAME: 'rest.advertised.host.name',
  ADVERTISED_PORT: 'rest.advertised.port',
  OFFSET_FLUSH_INTERVAL_MS: 'offset.flush.interval.ms',
  OFFSET_FLUSH_TIMEOUT_MS: 'offset.flush.timeout.ms',
  SHUTDOWN_TIMEOUT: 'task.shutdown.graceful.timeout.ms',
};

/** A properties file as text, of Redpanda's image. */
export const WHOLE_FILE = 'CONNECT_CONFIGURATION';

/** `CONNECT_` variables that are not settings of the worker. */
const NOT_SETTINGS =
  /^CONNECT_(?:CONFIGURATION$|CUB_|GC_LOG_ENABLED$|HEAP_OPTS$|LOG4J_|LOG_LEVEL$|METRICS_ENABLED$|REST_(?:HOST_NAME|PORT)$|SASL_(?:PASSWORD_FILE|USERNAME)$|TLS_(?:AUTH_CERT|AUTH_KEY|ENABLED)$|TOPIC_LOG_ENABLED$|TRUSTED_CERTS$)/;
/** Variables that `NOT_SETTINGS` or nothing else describes, and that have no effect. */
const INEFFECTIVE = new RegExp(
  [
    /^(?:HEAP_OPTS|JMXHOST|JMXPORT|JMX_PORT|KAFKA_(?:GC_LOG|HEAP|JMX|JVM_PERFORMANCE|LOG4J)_OPTS|KAFKA_JMX_(?:HOSTNAME|PORT))$/,
    /^KAFKA_CONNECT_(?:BOOTSTRAP_SERVERS|CONFIGURATION|JMX_EXPORTER_ENABLED|METRICS_ENABLED|PLUGIN_PATH|TLS|TRUSTED_CERTS)$/,
    /^KAFKA_CONNECT_(?:OAUTH|SASL|TLS)_/,
    /^STRIMZI_(?:JAVA_SYSTEM_PROPERTIES|RACK_ID|TRACING)$/,
  ]
    .map(({ source }) => source)
    .join('|'),
);
/** Debezium's switches, which count if they are `true`. */
const SWITCHES =
  /^ENABLE_(?:APICURIO_CONVERTERS|CHRONICLE_QUEUE|DEBEZIUM_KC_REST_EXTENSION|JFR|JMX_EXPORTER|JOLOKIA|OTEL)$/;
/** `LOG_LEVEL` and its like are the logger's. */
const OF_LOGGER = /^CONNECT_(?:LOG4J_(?:LOGGERS$|LOGGER_|ROOT_LOGLEVEL$)|LOG_LEVEL$)/;
const REST_KEYS = /^CONNECT_REST_(?:HOST_NAME|PORT)$/;
/** Kubernetes sets variables for each service, such as `REST_PORT=tcp://10.0.0.1:80` for one called rest. */
const OF_SERVICE = /^tcp:\/\//;

export function isSetting(variable: string): boolean {
  return !NOT_SETTINGS.test(variable);
}

/** The variable's text; undefined: it is not set, or it is Kubernetes's. */
export function shortValue(env: Environment, variable: string): string | undefined {
  const text = env[variable];
  return text === undefined || text.trim() === '' || OF_SERVICE.test(text) ? undefined : text;
}

/** Of keys that Java's workers no longer have, in the order in which they count. */
const REST_HOST = ['CONNECT_REST_HOST_NAME', 'REST_HOST_NAME'];
const REST_PORT = ['CONNECT_REST_PORT', 'REST_PORT'];

/**
 * The listener with another host or port. Null: no variable sets one. Throws ConfigError if there is more than one
 * listener.
 * @param listeners those that the variables change. (Default: the worker's)
 */
export function listenerOf(env: Environment, listeners = 'http://:8083'): FromVariable | null {
  const hostVariable = REST_HOST.find((variable) => shortValue(env, variable) !== undefined);
  const portVariable = REST_PORT.find((variable) => shortValue(env, variable) !== undefined);
  const variable = [hostVariable, portVariable].filter((one) => one !== undefined).join(' and ');
  if (variable === '') return null;
  let only: Listener;
  try {
    only = parseListener(listeners);
  } catch (cause) {
    throw new ConfigError(
      `The environment variable ${variable} changes the address of one listener, but "listeners" is ${listeners}. ` +
        'Remove the variable, or set CONNECT_LISTENERS.',
      { code: 'WORKER_CONFIG_INVALID', place: { key: 'listeners' }, cause },
    );
  }
  const host = hostVariable === undefined ? only.host : (shortValue(env, hostVariable) as string).trim();
  const port = portVariable === undefined ? only.port : (shortValue(env, portVariable) as string).trim();
  return { value: `${only.protocol}://${host.includes(':') ? `[${host}]` : host}:${port}`, variable };
}

const APICURIO = 'APICURIO_REGISTRY';
const APICURIO_CONVERTER = 'io.apicurio.registry.utils.converter.AvroConverter';

/** Debezium's variable for Avro: both converters with the address of the registry. */
export function apicurioSettings(env: Environment): Record<string, string> {
  const url = shortValue(env, APICURIO);
  if (url === undefined) return {};
  const settings: Record<string, string> = {};
  for (const converter of ['key.converter', 'value.converter']) {
    settings[converter] = APICURIO_CONVERTER;
    settings[`${converter}.apicurio.registry.url`] = url;
    settings[`${converter}.apicurio.registry.auto.register`] = 'true';
    settings[`${converter}.apicurio.registry.find.latest`] = 'true';
  }
  return settings;
}

/**
 * Names of variables that are set and have no effect, sorted.
 * @param unusable variables of the logger that are not a level
 * @param jvmOptions options of `KAFKA_OPTS` that are settings here
 */
export function ineffectiveVariables(
  env: Environment,
  unusable: readonly string[],
  jvmOptions: readonly string[],
): readonly string[] {
  const names = Object.keys(env).filter((variable) => {
    const text = env[variable]?.trim() ?? '';
    if (text === '' || variable === WHOLE_FILE || REST_KEYS.test(variable) || OF_LOGGER.test(variable)) return false;
    if (SWITCHES.test(variable)) return text.toLowerCase() === 'true';
    if (variable === 'KAFKA_OPTS') return text.split(/\s+/).some((word) => !isOption(word, jvmOptions));
    return NOT_SETTINGS.test(variable) || INEFFECTIVE.test(variable);
  });
  return [...names, ...unusable].sort();
}

function isOption(word: string, options: readonly string[]): boolean {
  return options.some((name) => word.startsWith(`-D${name}=`));
}
