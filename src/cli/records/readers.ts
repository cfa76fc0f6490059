/** Reads keys, values and headers of records through converters, as JSON texts. */
import { isUtf8 } from 'node:buffer';
import type { Invocation } from '@millrace/cli';
import { withClient } from '@millrace/cli/rest';
import { printable } from '@millrace/cli/terminal';
import {
  convertWhenReady,
  isRetriable,
  messageOf,
  monotonicNow,
  RetriableError,
  withDeadline,
  type Converter,
  type HeaderConverter,
  type RawHeader,
} from '@millrace/sdk';
import { builtInPlugins } from '../../built-in-plugins';
import { silentLogger } from '../../logging/logger';
import { createPluginRegistry } from '../../plugins/create-registry';
import { jsonText } from '../../records/json-text';
import { taskConverters } from '../../tasks/task-converters';
import type { WorkerSetup } from '../worker/read-config';
import { type ReaderOptions, readerSettings } from './reader-settings';

/** Of a record for its converters. */
const LONGEST_WAIT_MS = 6_500;
/** After a wait in vain. */
const REST_MS = 30_000;
/** Characters. */
const LONGEST_REASON = 500;

export interface RecordReaders {
  readonly key: ReadBytes;
  readonly value: ReadBytes;
  readonly header: (topic: string, key: string, bytes: Uint8Array | null) => Promise<string>;
}

/**
 * The converters that options name, those of the connector that `--converters-of` names, or the worker's. One that was
 * named must be able to read every record; the others need not.
 * @throws ConfigError `CONVERTER_UNKNOWN`, ConnectError `CLI_USAGE`, and errors of the REST API
 */
export async function chooseReaders(
  invocation: Pick<Invocation, 'options' | 'io'>,
  { config }: Pick<WorkerSetup, 'config'>,
): Promise<RecordReaders> {
  const { io } = invocation;
  const options = invocation.options as ReaderOptions & { readonly convertersOf?: string };
  const registry = createPluginRegistry({
    pluginPath: config.pluginPath,
    builtIns: builtInPlugins,
    logger: silentLogger,
  });
  await registry.discover();
  const named = await connectorConfig(invocation, options.convertersOf);
  const connector = readerSettings(options, named, (prefix) => config.withPrefix(prefix));
  const { key, value, header } = await taskConverters(connector, config, registry);
  const patient = new Patience();
  const tolerant = (part: string, given: string | undefined, read: ReadBytes, className: string): ReadBytes =>
    given !== undefined
      ? read
      : lenient(patient.reader(read), className.endsWith('.JsonConverter'), (error) =>
          io.stderr.write(
            `Some ${part}s cannot be read with ${className} and are shown as they are; see --${part}-converter. ${reasonText(error)}\n`,
          ),
        );
  const readHeader = headerReaderOf(header.converter);
  return {
    key: tolerant('key', options.keyConverter, readerOf(key.converter), key.className),
    value: tolerant('value', options.valueConverter, readerOf(value.converter), value.className),
    header: async (topic, name, bytes) => {
      try {
        return await readHeader(topic, name, bytes);
      } catch {
        return plainText(bytes);
      }
    },
  };
}

async function connectorConfig(
  invocation: Pick<Invocation, 'options' | 'io'>,
  name: string | undefined,
): Promise<Readonly<Record<string, string>>> {
  if (name === undefined) return {};
  const path = `/connectors/${encodeURIComponent(name)}/config`;
  return await withClient(invocation, (client) => client.request<Readonly<Record<string, string>>>(path));
}

/** JSON text of what the bytes hold. */
type ReadBytes = (topic: string, bytes: Uint8Array | null, headers: readonly RawHeader[]) => Promise<string>;

/** @throws DataError */
function readerOf(converter: Converter): ReadBytes {
  return async (topic, bytes, headers) =>
    jsonText(await convertWhenReady(() => converter.toConnectData(topic, bytes, headers)));
}

/** @throws DataError */
function headerReaderOf(converter: HeaderConverter): RecordReaders['header'] {
  return async (topic, key, bytes) =>
    jsonText(await convertWhenReady(() => converter.toConnectHeader(topic, key, bytes)));
}

/** Waits for converters, e.g. for their schema registry, so long that a person waits with it. */
class Patience {
  /** By `monotonicNow()`: until then nothing is waited for again. */
  private overUntil = -Infinity;

  reader(read: ReadBytes): ReadBytes {
    return async (topic, bytes, headers) => {
      const reading = read(topic, bytes, headers);
      const isOver = monotonicNow() < this.overUntil;
      try {
        return await withDeadline(reading, isOver ? 0 : LONGEST_WAIT_MS, notReady);
      } catch (error) {
        if (isRetriable(error) && !isOver) this.overUntil = monotonicNow() + REST_MS;
        throw error;
      }
    };
  }
}

const notReady = (): Error =>
  new RetriableError(`The converter is not ready within ${LONGEST_WAIT_MS / 1_000} s.`, {
    code: 'CONVERTER_NOT_READY',
  });

function reasonText(error: unknown): string {
  const text = printable(messageOf(error));
  return text.length > LONGEST_REASON ? `${text.slice(0, LONGEST_REASON)}…` : text;
}

/**
 * Bytes that a converter cannot read are shown as they are. `onMismatch` is called once, at the first ones.
 * @param isJson whether the converter is for JSON: then JSON without a schema is no mismatch
 */
function lenient(read: ReadBytes, isJson: boolean, onMismatch: (error: unknown) => void): ReadBytes {
  let isKnown = false;
  return async (topic, bytes, headers) => {
    try {
      return await read(topic, bytes, headers);
    } catch (error) {
      const json = jsonIn(bytes);
      if (!isKnown && !(isJson && json !== undefined)) {
        isKnown = true;
        onMismatch(error);
      }
      return json ?? plainText(bytes);
    }
  };
}

/** JSON as it is, other text as a JSON string, other bytes in base64. */
function plainText(bytes: Uint8Array | null): string {
  if (bytes === null) return 'null';
  const buffer = Buffer.from(bytes);
  return jsonIn(bytes) ?? JSON.stringify(isUtf8(bytes) ? buffer.toString() : buffer.toString('base64'));
}

/** Undefined if the bytes are not JSON. */
function jsonIn(bytes: Uint8Array | null): string | undefined {
  if (bytes === null || !isUtf8(bytes)) return undefined;
  const text = Buffer.from(bytes).toString();
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  // Not the parsed value: numbers beyond doubles keep their digits. Line breaks are only between members.
  return text.trim().replaceAll(/[\r\n]/g, ' ');
}
