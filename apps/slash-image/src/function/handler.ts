/** Handles a slash command and returns a message with an image. Independent of the HTTP server. */
import type { Context, LambdaFunctionURLEvent } from 'aws-lambda';
import { escapeText, searchTerm } from './chat-text';
import type { ImageResult, ImageSource } from './image/image';
import type { Log } from './log';
import { imageMessage, privateMessage } from './reply';
import type { Settings } from './settings';
import { SIGNATURE_HEADER, signatureProblem, TIMESTAMP_HEADER } from './signature';

/** The chat platform waits 3 s. The difference is for the network. */
const BUDGET_MS = 2_500;

interface HandlerDependencies {
  readonly settings: Settings;
  /** Null: no API key is set. */
  readonly images: ImageSource | null;
  readonly log: Log;
  /** (Default: the clock) */
  readonly now?: () => number;
}

/** The result of a function with a URL, with all fields. */
interface FunctionResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Two parameters and a promise: hosts reject handlers with a callback parameter. */
export type Handler = (event: LambdaFunctionURLEvent, context?: Partial<Context>) => Promise<FunctionResponse>;

interface Outcome {
  readonly response: FunctionResponse;
  /** For the log. */
  readonly outcome: string;
}

const FAILURES = {
  unavailable: { status: 424, text: 'The image service is not available right now. Please try again.' },
  busy: { status: 503, text: 'Too many requests to the image service. Please try again later.' },
  refused: { status: 502, text: 'The image service refused our request.' },
} as const;

export function createHandler({ settings, images, log, now = Date.now }: HandlerDependencies): Handler {
  return async (event, context) => {
    const began = performance.now();
    const requestId = context?.awsRequestId ?? event.requestContext?.requestId;
    try {
      const { response, ...outcome } = await answer(event, () => BUDGET_MS - (performance.now() - began));
      const ms = Math.round(performance.now() - began);
      log('info', 'answered', { requestId, status: response.statusCode, ...outcome, ms });
      return response;
    } catch (error) {
      log('error', 'unexpected error', { requestId, error: String((error as Error | null)?.stack ?? error) });
      return textResponse(500, 'Failed to process request');
    }
  };

  async function answer(event: LambdaFunctionURLEvent, msLeft: () => number): Promise<Outcome> {
    if (settings.signingSecrets.length === 0) return unauthorized('no signing secret is set');
    const body = decodeBody(event);
    if (!body) return { response: textResponse(400, 'invalid body'), outcome: 'invalid body' };
    const form = new URLSearchParams(body.toString('utf8'));
    // The platform's certificate check may be unsigned; nothing else in it is used.
    if (form.get('ssl_check') === '1' || new URLSearchParams(event.rawQueryString).get('ssl_check') === '1')
      return { response: textResponse(200, ''), outcome: 'certificate check' };

    const signed = { timestamp: header(event, TIMESTAMP_HEADER), signature: header(event, SIGNATURE_HEADER), body };
    const rules = { secrets: settings.signingSecrets, maxAgeS: settings.signatureMaxAgeS, nowMs: now() };
    const problem = signatureProblem(signed, rules);
    if (problem) return unauthorized(problem);

    if ((event.requestContext?.http?.method ?? 'POST') !== 'POST')
      return { response: textResponse(405, '', { Allow: 'POST' }), outcome: 'method not allowed' };
    if (!images) {
      log('error', 'IMAGE_API_KEY is not set');
      return { response: textResponse(500, 'Failed to process request'), outcome: 'no image key is set' };
    }
    const term = searchTerm(form.get('text') ?? '');
    if (term === '') return { response: usage(form.get('command')), outcome: 'usage' };
    log('debug', 'searching', { term });
    const result = await images.random(term, msLeft());
    return { response: reply(result, term), outcome: result.kind };
  }

  /** The same response for every reason. The reason is logged only at debug. */
  function unauthorized(reason: string): Outcome {
    log('debug', 'unauthorized', { reason });
    return { response: textResponse(401, 'Unauthorized'), outcome: 'unauthorized' };
  }

  function reply(result: ImageResult, term: string): FunctionResponse {
    if (result.kind === 'image') return jsonResponse(200, imageMessage(result.image, term, settings));
    if (result.kind === 'none') return jsonResponse(200, privateMessage(`No image found for "${escapeText(term)}".`));
    const { status, text } = FAILURES[result.kind];
    return settings.errorStyle === 'chat' ? jsonResponse(200, privateMessage(text)) : textResponse(status, text);
  }
}

function usage(command: string | null): FunctionResponse {
  return jsonResponse(
    200,
    privateMessage(escapeText(`Usage: ${searchTerm(command ?? '') || '/command'} <search term>`)),
  );
}

/** Hosts pass header names in lower case; direct callers of the handler may not. */
function header(event: LambdaFunctionURLEvent, name: string): string | undefined {
  const found = Object.entries(event.headers ?? {}).filter(([key]) => key.toLowerCase() === name);
  return found.length === 1 ? found[0]?.[1] : undefined;
}

/** The request body of an event. Null: it is flagged as base64 but is not. */
function decodeBody(event: { readonly body?: string; readonly isBase64Encoded?: boolean }): Buffer | null {
  const { body = '', isBase64Encoded } = event;
  if (isBase64Encoded === false || body === '') return Buffer.from(body);
  const decoded = Buffer.from(body, 'base64');
  if (isBase64Encoded) return decoded.toString('base64') === padded(body) ? decoded : null;
  // Without the flag, a body that looks like an encoded form is treated as one.
  return decoded.toString('base64') === body && decoded.includes('=') && isUtf8(decoded) ? decoded : Buffer.from(body);
}

function padded(base64: string): string {
  const bare = base64.replace(/(?<!=)=+$/, '');
  return bare + '='.repeat((4 - (bare.length % 4)) % 4);
}

function isUtf8(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString('utf8')).equals(bytes);
}

function textResponse(
  statusCode: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): FunctionResponse {
  return { statusCode, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers }, body };
}

function jsonResponse(statusCode: number, value: unknown): FunctionResponse {
  return { statusCode, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) };
}
