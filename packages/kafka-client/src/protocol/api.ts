/**
 * Requests of the protocol: `request` binds a message, one version of its API and what callers need of the response.
 * The versions that the client supports fit Kafka 2.x to 4.x and Event Hubs (kafka-client §3).
 */
import {
  decode,
  encode,
  hasFlexibleResponseHeader,
  isFlexible,
  MalformedMessage,
  Reader,
  Writer,
  type Api,
  type Loose,
  type RequestOf,
  type MessageOf,
} from '@millrace/kafka-protocol';
import { KafkaError } from '../errors';
import type { Wire, WireRequest } from '../wire';

export interface RequestOptions {
  readonly timeoutMs?: number;
  readonly noResponse?: boolean;
}

/** @param message fields that the version lacks are not sent, omitted ones have their defaults. */
export function request<A extends Api, T>(
  api: A,
  version: number,
  message: Loose<RequestOf<A>>,
  result: (response: MessageOf<A['response']>) => T,
  options: RequestOptions & {
    /** Expected size of the body, to avoid growing the buffer. */
    readonly sizeHint?: number;
  } = {},
): WireRequest<T> {
  const write = (): Buffer => {
    const to = new Writer(options.sizeHint);
    encode(api, 'request', version, message, to);
    return to.toBuffer();
  };
  const read = (from: Reader): T => result(decode(api, 'response', version, from) as MessageOf<A['response']>);
  return encodedRequest(api, version, write, read, options);
}

/** Where the declared codec costs too much: written and read by hand. */
export function encodedRequest<T>(
  api: Api,
  version: number,
  encode: () => Buffer,
  read: (from: Reader) => T,
  options: RequestOptions = {},
): WireRequest<T> {
  return {
    apiName: api.name,
    apiKey: api.key,
    apiVersion: version,
    flexible: isFlexible(api, version),
    flexibleResponse: hasFlexibleResponseHeader(api, version),
    timeoutMs: options.timeoutMs,
    noResponse: options.noResponse,
    encode,
    decode(body) {
      try {
        return read(new Reader(body, { nullAsEmpty: true }));
      } catch (cause) {
        if (cause instanceof KafkaError) throw cause;
        const text = cause instanceof Error ? cause.message : String(cause);
        throw new KafkaError(
          'CORRUPT_MESSAGE',
          `The response to ${api.name} v${version} cannot be read: ${cause instanceof MalformedMessage ? 'it ' : ''}${text}`,
          { cause },
        );
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
  const [lowest, highest] = api.versions;
  const version = await wire.version(nodeId, api.key, lowest, highest);
  if (version === undefined) {
    throw new KafkaError(
      'UNSUPPORTED_VERSION_CLIENT',
      `Broker ${nodeId} has no version of ${api.name} between ${lowest} and ${highest}`,
    );
  }
  return wire.send(nodeId, build(version), lane);
}
