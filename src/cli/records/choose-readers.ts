/** The readers that a command's options ask for; without options, the worker's converters where they fit. */
import { builtInPlugins } from '../../built-in-plugins';
import { silentLogger } from '../../logging/logger';
import { createPluginRegistry } from '../../plugins/create-registry';
import { taskConverters } from '../../tasks/task-converters';
import type { Invocation } from '../program/command-spec';
import type { WorkerSetup } from '../worker/read-config';
import { headerReaderOf, lenient, plainText, readerOf, type ReadBytes } from './readers';

export interface RecordReaders {
  readonly key: ReadBytes;
  readonly value: ReadBytes;
  readonly header: (topic: string, key: string, bytes: Uint8Array | null) => string;
}

const SHORT_NAMES: Readonly<Record<string, string>> = {
  json: 'JsonConverter',
  string: 'StringConverter',
  bytes: 'ByteArrayConverter',
};

/**
 * Options `keyConverter` and `valueConverter`: a class, `json`, `string` or `bytes`. A converter that was named must
 * be able to read every record; the worker's default one need not.
 * @throws ConfigError `CONVERTER_UNKNOWN`
 */
export async function chooseReaders(
  { options, io }: Pick<Invocation, 'options' | 'io'>,
  { config }: Pick<WorkerSetup, 'config'>,
): Promise<RecordReaders> {
  const { keyConverter, valueConverter } = options as { keyConverter?: string; valueConverter?: string };
  const registry = createPluginRegistry({
    pluginPath: config.pluginPath,
    builtIns: builtInPlugins,
    logger: silentLogger,
  });
  const connector = {
    ...(keyConverter !== undefined && settingsOf('key', keyConverter)),
    ...(valueConverter !== undefined && settingsOf('value', valueConverter)),
  };
  const { key, value, header } = await taskConverters(connector, config, registry);
  const tolerant = (part: string, given: string | undefined, read: ReadBytes, className: string): ReadBytes =>
    given !== undefined
      ? read
      : lenient(read, className.endsWith('.JsonConverter'), () =>
          io.stderr.write(
            `Some ${part}s cannot be read with ${className} and are shown as they are; see --${part}-converter.\n`,
          ),
        );
  const readHeader = headerReaderOf(header.converter);
  return {
    key: tolerant('key', keyConverter, readerOf(key.converter), key.className),
    value: tolerant('value', valueConverter, readerOf(value.converter), value.className),
    header: (topic, name, bytes) => {
      try {
        return readHeader(topic, name, bytes);
      } catch {
        return plainText(bytes);
      }
    },
  };
}

function settingsOf(part: 'key' | 'value', name: string): Record<string, string> {
  return {
    [`${part}.converter`]: SHORT_NAMES[name] ?? name,
    ...(name === 'json' && { [`${part}.converter.schemas.enable`]: 'false' }),
  };
}
