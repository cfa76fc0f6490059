/** The service files of a jar: which interfaces of Connect its classes implement. Pure. */
import type { JavaPlugin, OtherJavaPlugin } from '../java-plugin';

export type ServiceType = JavaPlugin['type'] | OtherJavaPlugin['type'];

export const SERVICES = 'META-INF/services/';

const TYPES: ReadonlyMap<string, ServiceType> = new Map<string, ServiceType>([
  ['org.apache.kafka.connect.sink.SinkConnector', 'sink'],
  ['org.apache.kafka.connect.source.SourceConnector', 'source'],
  ['org.apache.kafka.connect.storage.Converter', 'converter'],
  ['org.apache.kafka.connect.storage.HeaderConverter', 'header_converter'],
  ['org.apache.kafka.connect.transforms.Transformation', 'transformation'],
  ['org.apache.kafka.connect.transforms.predicates.Predicate', 'predicate'],
  ['org.apache.kafka.common.config.provider.ConfigProvider', 'config_provider'],
  ['org.apache.kafka.connect.connector.policy.ConnectorClientConfigOverridePolicy', 'override_policy'],
  ['org.apache.kafka.connect.rest.ConnectRestExtension', 'rest_extension'],
]);

export const SERVICE_NAMES: readonly string[] = [...TYPES.keys()];

/** @param path of an entry of a jar. Null: it says nothing about plugins. */
export function serviceType(path: string): ServiceType | null {
  return path.startsWith(SERVICES) ? (TYPES.get(path.slice(SERVICES.length)) ?? null) : null;
}

export function isServiceType(value: unknown): value is ServiceType {
  return [...TYPES.values()].includes(value as ServiceType);
}

const CLASS_NAME = /^[\p{L}_$][\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*)*$/u;
const MAX_NAME = 512;

export interface ServiceFile {
  /** Without duplicates. */
  readonly classes: readonly string[];
  /** The first line that is not a class name, cut; null: none. */
  readonly fault: string | null;
}

export function parseServiceFile(text: string): ServiceFile {
  const classes = new Set<string>();
  let fault: string | null = null;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const name = (line.split('#', 1)[0] as string).trim();
    if (name === '') continue;
    if (isClassName(name)) classes.add(name);
    else fault ??= name.slice(0, 100);
  }
  return { classes: [...classes], fault };
}

export function isClassName(name: string): boolean {
  return name.length <= MAX_NAME && CLASS_NAME.test(name);
}

/** Path of its class in a jar, or below a folder of classes. */
export function classFile(className: string): string {
  return `${className.replaceAll('.', '/')}.class`;
}

/** Of what a Java worker takes from its own class path, whatever a folder of jars contains. */
const FRAMEWORK = /^(?:java|org\.slf4j|org\.apache\.kafka)\./;
const KAFKA_PLUGINS =
  /^org\.apache\.kafka\.(?:connect\.(?:transforms|json|file|mirror|converters|connector\.policy)\.|connect\.storage\.(?:StringConverter|SimpleHeaderConverter)$|connect\.rest\.basic\.auth\.extension\.BasicAuthSecurityRestExtension$|common\.config\.provider\.)/;

/** Whether a jar may provide the class as a plugin. */
export function mayBePlugin(className: string): boolean {
  return !FRAMEWORK.test(className) || KAFKA_PLUGINS.test(className);
}
