/**
 * Requests of the protocol: an `Api` has the supported versions, `request` binds one version to its encoder and
 * decoder. Versions fit Kafka 2.x to 4.x and Event Hubs (kafka-client §3).
 */
import { KafkaError } from '../errors';
import type { Wire, WireRequest } from '../wire';
import { ByteReader, ByteWriter } from './bytes';

export interface Api {
  readonly name: string;
  readonly key: number;
  /** Supported versions, inclusive. */
  readonly min: number;
  readonly max: number;
  /** First version with compact types and tagged fields. */
  readonly flexibleFrom: number;
}

export interface RequestOptions {
  readonly timeoutMs?: number;
  readonly noResponse?: boolean;
  /** Expected size of the body, to avoid growing the buffer. */
  readonly sizeHint?: number;
}

export function request<T>(
  api: Api,
  version: number,
  write: (writer: ByteWriter) => void,
  read: (reader: ByteReader) => T,
  options: RequestOptions = {},
): WireRequest<T> {
  const flexible = version >= api.flexibleFrom;
  return {
    apiName: api.name,
    apiKey: api.key,
    apiVersion: version,
    flexible,
    timeoutMs: options.timeoutMs,
    noResponse: options.noResponse,
    encode() {
      const writer = new ByteWriter(flexible, options.sizeHint);
      write(writer);
      return writer.finish();
    },
    decode(body) {
      try {
        return read(new ByteReader(body, flexible));
      } catch (cause) {
        if (cause instanceof KafkaError) throw cause;
        const text = cause instanceof Error ? cause.message : String(cause);
        throw new KafkaError('CORRUPT_MESSAGE', `The response to ${api.name} v${version} cannot be read: ${text}`, {
          cause,
        });
      }
    },
  };
}

/** Sends at the highest common version. Throws KafkaError UNSUPPORTED_VERSION_CLIENT when there is none. */
export async function call<T>(
  wire: Wire,
  nodeId: number,
  api: Api,
  build: (version: number) => WireRequest<T>,
  lane?: string,
): Promise<T> {
  const version = await wire.version(nodeId, api.key, api.min, api.max);
  if (version === undefined) {
    throw new KafkaError(
      'UNSUPPORTED_VERSION_CLIENT',
      `Broker ${nodeId} has no version of ${api.name} between ${api.min} and ${api.max}`,
    );
  }
  return wire.send(nodeId, build(version), lane);
}
