/** Emulates a function URL on this machine: permissions, HTTP to event, the time limit, result to HTTP. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Context } from 'aws-lambda';
import { BAD_GATEWAY, FORBIDDEN, toHttpResponse, TOO_LARGE, type HttpResponse } from './http-response';
import { toEvent, type Caller } from './event';
import type { AdapterOptions } from './options';
import { readBody } from './read-body';
import { isSignedBy } from './sigv4';

/** The platform's limit for requests. */
const MAX_BODY_BYTES = 6 * 1024 * 1024;
/** How long a client may continue sending before its connection is closed. */
const LINGER_MS = 500;

/** Any function of the platform, not only the one in this package. */
export type AnyHandler = (event: never, context: Context) => unknown;

export function createAdapter(handler: AnyHandler, options: AdapterOptions): Server {
  const server = createServer((req, res) => {
    const requestId = randomUUID();
    respond(req, requestId).then(
      (response) => send(req, res, response, requestId),
      () => res.destroy(),
    );
  });

  async function respond(req: IncomingMessage, requestId: string): Promise<HttpResponse> {
    if (options.healthPath !== null && req.method === 'GET' && req.url === options.healthPath)
      return { status: 200, headers: { 'content-type': 'text/plain' }, body: Buffer.from('ok\n') };
    const body = await readBody(req, MAX_BODY_BYTES);
    if (!body) return TOO_LARGE;
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
