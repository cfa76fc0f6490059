/** Writes folders of jars for tests. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { strToU8, zipSync, type ZipOptions } from 'fflate';

/** Path of an entry → its text or bytes. */
export type JarContent = Readonly<Record<string, string | Uint8Array>>;

export function jar(content: JarContent, options: ZipOptions = {}): Uint8Array {
  const entries = Object.entries(content).map(([path, value]) => [
    path,
    typeof value === 'string' ? strToU8(value) : value,
  ]);
  return zipSync(Object.fromEntries(entries), options);
}

const INTERFACES = {
  source: 'org.apache.kafka.connect.source.SourceConnector',
  sink: 'org.apache.kafka.connect.sink.SinkConnector',
  converter: 'org.apache.kafka.connect.storage.Converter',
  header_converter: 'org.apache.kafka.connect.storage.HeaderConverter',
  transformation: 'org.apache.kafka.connect.transforms.Transformation',
  predicate: 'org.apache.kafka.connect.transforms.predicates.Predicate',
  config_provider: 'org.apache.kafka.common.config.provider.ConfigProvider',
  override_policy: 'org.apache.kafka.connect.connector.policy.ConnectorClientConfigOverridePolicy',
  rest_extension: 'org.apache.kafka.connect.rest.ConnectRestExtension',
} as const;

export function service(type: keyof typeof INTERFACES, ...classes: readonly string[]): JarContent {
  return { [`META-INF/services/${INTERFACES[type]}`]: classes.join('\n') };
}

export function classes(...names: readonly string[]): JarContent {
  return Object.fromEntries(names.map((name) => [`${name.replaceAll('.', '/')}.class`, 'CAFEBABE']));
}

export function manifest(...lines: readonly string[]): JarContent {
  return { 'META-INF/MANIFEST.MF': `${['Manifest-Version: 1.0', ...lines].join('\r\n')}\r\n\r\n` };
}

export class JarFolders {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-jars-')));

  add(path: string, content: JarContent | Uint8Array | string): string {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      typeof content === 'string' || content instanceof Uint8Array ? content : jar(content as JarContent),
    );
    return file;
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
