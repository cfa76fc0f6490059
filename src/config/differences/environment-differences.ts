/** What becomes of the environment variables of Java's images. Those that are settings here are not in it. Pure. */
import { levelsOfEnvironment } from '../../logging/level-variables';
import { JVM_OPTIONS } from '../environment';
import { ineffectiveVariables, type Environment } from '../image-variables';
import { differenceOf, type Difference, type DifferenceRow } from './difference';

const JVM = 'It configures a JVM; a worker is a Node.js process.';
const METRICS = 'There is no JMX.';
const PROMETHEUS = 'Metrics are at GET /metrics, for Prometheus.';
/** Too common outside of images to be named in a log. */
const OF_ANY_JVM = ['CLASSPATH', 'EXTRA_ARGS', 'JAVA_TOOL_OPTIONS'];
/** Option names of a variable that are shown. */
const MOST_OPTIONS = 5;

const ROWS: readonly DifferenceRow[] = [
  {
    key: /HEAP_OPTS$/,
    kind: 'ignored',
    message: JVM,
    instead: 'Set NODE_OPTIONS=--max-old-space-size=512 for the process, or task.memory.mb in a connector.',
  },
  {
    key: /JMX|^ENABLE_(?:JOLOKIA|OTEL)$|METRICS_ENABLED$|^STRIMZI_TRACING$/,
    kind: 'ignored',
    message: METRICS,
    instead: PROMETHEUS,
  },
  {
    key: /LOG4J_|^(?:CONNECT_)?LOG_LEVEL$|TOPIC_LOG_ENABLED$/,
    kind: 'ignored',
    message: 'It configures Log4j.',
    instead: 'Set MILLRACE_LOG_LEVEL and MILLRACE_LOG_FORMAT.',
  },
  {
    key: /GC_LOG|JVM_PERFORMANCE_OPTS$|^ENABLE_JFR$|^STRIMZI_JAVA_SYSTEM_PROPERTIES$/,
    kind: 'ignored',
    message: JVM,
    instead: 'Remove it.',
  },
  { key: /^CLASSPATH$/, kind: 'ignored', message: 'Its jars are not loaded.', instead: 'Set plugin.path.' },
  { key: /^CONNECT_CUB_/, kind: 'ignored', message: 'It is for the start script of an image.', instead: 'Remove it.' },
  {
    key: /^STRIMZI_RACK_ID$/,
    kind: 'ignored',
    message: 'Records are fetched from the leaders of partitions, not from the closest replica.',
  },
  {
    key: /^(?:KAFKA_)?CONNECT_(?:OAUTH|SASL|TLS|TRUSTED)/,
    kind: 'ignored',
    message: 'The start script of an image writes settings from it.',
    instead: 'Set security.protocol, sasl.* and ssl.* in the worker settings, also with the prefixes of clients.',
  },
  {
    key: /^KAFKA_CONNECT_/,
    kind: 'ignored',
    message: 'The start script of an image writes settings from it.',
    instead: 'Set the keys of the worker: bootstrap.servers, plugin.path and those of the configuration.',
  },
  {
    key: /^ENABLE_/,
    kind: 'ignored',
    message: 'It adds jars to the image, which cannot be loaded.',
  },
];

/** By variable. @param env may have any other variables */
export function environmentDifferences(env: Environment): readonly Difference[] {
  const names = [
    ...ineffectiveVariables(env, levelsOfEnvironment(env).unusable, JVM_OPTIONS),
    ...OF_ANY_JVM.filter((name) => (env[name] ?? '').trim() !== ''),
  ];
  return [...new Set(names)].sort().map((name) => one(name, env[name] ?? ''));
}

function one(name: string, value: string): Difference {
  const options = optionNames(value);
  if (/^(?:KAFKA_OPTS|EXTRA_ARGS|JAVA_TOOL_OPTIONS)$/.test(name) && options.length > 0) {
    const more = options.length > MOST_OPTIONS ? ` and ${options.length - MOST_OPTIONS} more` : '';
    const agents = value.includes('-javaagent:') ? 'Java agents cannot run here. ' : '';
    return {
      key: name,
      kind: 'ignored',
      message: `${agents}Without effect: ${options.slice(0, MOST_OPTIONS).join(', ')}${more}.`,
      instead: value.includes('-javaagent:') ? PROMETHEUS : null,
    };
  }
  const given: Record<string, string> = { [name]: 'x' };
  return differenceOf(ROWS, name, given) ?? { key: name, kind: 'ignored', message: JVM, instead: null };
}

/** Without values, which may be secrets; each once. Not those that are settings. */
function optionNames(text: string): readonly string[] {
  const names = text
    .split(/\s+/)
    .filter((word) => /^-/.test(word) && !JVM_OPTIONS.some((name) => word.startsWith(`-D${name}=`)))
    .map((word) =>
      /^-javaagent:/.test(word) ? '-javaagent' : /^-X/.test(word) ? word.slice(0, 4) : word.split('=')[0],
    );
  return [...new Set(names as string[])].map((name) => (name.length > 100 ? `${name.slice(0, 100)}…` : name));
}
