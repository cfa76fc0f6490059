/** Reads a request from a frame, and writes a response as the chunks of a frame. */
import {
  decode,
  encode,
  hasFlexibleResponseHeader,
  isFlexible,
  MalformedMessage,
  Reader,
  Writer,
  type Api,
} from '@millrace/kafka-protocol';
import { SERVED_APIS } from './apis';

/** The broker has at most 10,000 partitions. */
const MAX_ELEMENTS = 200_000;

export interface ReceivedRequest {
  readonly api: Api;
  readonly version: number;
  readonly correlationId: number;
  readonly clientId: string | null;
  readonly body: Record<string, unknown>;
  /**
   * The client uses an unsupported version of ApiVersions; the response contains the supported ones. For other APIs
   * there is no response to an unsupported version.
   */
  readonly unsupportedVersion: boolean;
}

/** @throws MalformedMessage */
export function readRequest(frame: Buffer): ReceivedRequest {
  const from = new Reader(frame, { maxElements: MAX_ELEMENTS });
  const key = from.int16();
  const version = from.int16();
  const correlationId = from.int32();
  const api = SERVED_APIS.get(key);
  if (!api) throw new MalformedMessage(`uses API ${key}, which is not supported`);
  const [lowest, highest] = api.versions;
  if (version < lowest || version > highest) {
    if (api.name !== 'ApiVersions') {
      throw new MalformedMessage(`uses ${api.name} version ${version}; supported are ${lowest} to ${highest}`);
    }
    return { api, version: 0, correlationId, clientId: null, body: {}, unsupportedVersion: true };
  }
  // The client id is not compact, even in the flexible header.
  const clientId = from.string(false);
  if (isFlexible(api, version)) from.skipTaggedFields();
  const body = decode(api, 'request', version, from);
  return { api, version, correlationId, clientId, body, unsupportedVersion: false };
}

export function writeResponse(request: ReceivedRequest, response: object): Buffer[] {
  const to = new Writer();
  to.int32(request.correlationId);
  if (hasFlexibleResponseHeader(request.api, request.version)) to.noTaggedFields();
  encode(request.api, 'response', request.version, response, to);
  const length = Buffer.alloc(4);
  length.writeInt32BE(to.byteLength, 0);
  return [length, ...to.finish()];
}
