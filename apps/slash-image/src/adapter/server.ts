/** Emulates a function URL on this machine: permissions, HTTP to event, the time limit, result to HTTP. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Context } from 'aws-lambda';
import { BAD_GATEWAY, BUSY, FORBIDDEN, toHttpResponse, TOO_LARGE, type HttpResponse } from './http-response';
import { toEvent, type Caller } from './event';
import type { AdapterOptions } from './options';
import { BodyBudget, readBody, type HeldBody } from './read-body';
import { isSignedBy } from './sigv4';

/** The platform's limit for requests. */
const MAX_BODY_BYTES = 6 * 1024 * 1024;
/** Of all requests in flight, without the first bytes of each. */
const IN_FLIGHT_BYTES = 64 * 1024 * 1024;
/** A slash command is smaller. */
const FREE_BYTES = 64 * 1024;
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  maxHeaderSize: 16_384,
  connectionsCheckingInterval: 5_000,
};
const MAX_CONNECTIONS = 1_000;
/** How long a client may continue sending before its connection is closed. */
const LINGER_MS = 500;

/** Any function of the platform, not only the one in this package. */
export type AnyHandler = (event: never, context: Context) => unknown;

/** @param inFlightBytes limit of the bodies of all requests in flight */
export function createAdapter(
  handler: AnyHandler,
  options: AdapterOptions,
  inFlightBytes: number = IN_FLIGHT_BYTES,
): Server {
  const budget = new BodyBudget(inFlightBytes, FREE_BYTES);
  const server = createServer(LIMITS, (req, res) => {
    const requestId = randomUUID();
    const held = budget.open();
    respond(req, requestId, held)
      .then(
        (response) => send(req, res, response, requestId),
        () => res.destroy(),
      )
      .finally(held.close);
  });
  server.maxConnections = MAX_CONNECTIONS;

  async function respond(req: IncomingMessage, requestId: string, held: HeldBody): Promise<HttpResponse> {
    if (options.healthPath !== null && req.method === 'GET' && req.url === options.healthPath)
      return { status: 200, headers: { 'content-type': 'text/plain' }, body: Buffer.from('ok\n') };
    const body = await readBody(req, MAX_BODY_BYTES, held);
    if (body === 'too large') return TOO_LARGE;
    if (body === 'busy') return BUSY;
    const now = new Date();
    const caller = authorize(req, body, now);
    if (caller === 'forbidden') return FORBIDDEN;
    const event = toEvent({ req, body, requestId, now, trustProxy: options.trustProxy, caller });
    return await invoke(event as never, requestId);
  }

  function authorize(req: IncomingMessage, body: Buffer, now: Date): Caller | null | 'forbidden' {
    if (options.authType === 'NONE') return options.publicInvoke ? null : 'forbidden';
    const { keyPair } = options;
    return keyPair && isSignedBy(keyPair, req, body, now.getTime()) ? { accessKey: keyPair.accessKeyId } : 'forbidden';
  }

  async function invoke(event: never, requestId: string): Promise<HttpResponse> {
    const end = performance.now() + options.timeoutMs;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<HttpResponse>((resolve) => {
      timer = setTimeout(() => resolve(BAD_GATEWAY), options.timeoutMs);
    });
    const result = (async () => toHttpResponse(await handler(event, contextOf(requestId, end))))();
    try {
      return await Promise.race([result, late]);
    } catch (error) {
      console.error(JSON.stringify({ level: 'error', msg: 'the function failed', requestId, error: String(error) }));
      return BAD_GATEWAY;
    } finally {
      clearTimeout(timer);
    }
  }

  return server;
}

function contextOf(awsRequestId: string, end: number): Context {
  return {
    awsRequestId,
    callbackWaitsForEmptyEventLoop: false,
    functionName: 'slash-image',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:local:123456789012:function:slash-image',
    logGroupName: '/aws/lambda/slash-image',
    logStreamName: 'local',
    memoryLimitInMB: '128',
    getRemainingTimeInMillis: () => Math.max(0, Math.round(end - performance.now())),
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
}

function send(
  req: IncomingMessage,
  res: ServerResponse,
  { status, headers, body }: HttpResponse,
  requestId: string,
): void {
  const isComplete = req.complete;
  const mayHaveBody = status !== 204 && status !== 304;
  try {
    res.writeHead(status, {
      ...(headers as Record<string, string | string[]>),
      ...(mayHaveBody && { 'content-length': body.length }),
      'x-amzn-RequestId': requestId,
      ...(isComplete ? {} : { connection: 'close' }),
    });
  } catch {
    // A header name or value that HTTP does not allow.
    return send(req, res, BAD_GATEWAY, requestId);
  }
  if (isComplete) return void res.end(mayHaveBody ? body : undefined);
  // The request body is still arriving. Closing a connection with unread bytes resets it and loses the response.
  res.write(body);
  const end = (): void => {
    clearTimeout(timer);
    res.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  req.once('end', end).once('close', end).resume();
}
