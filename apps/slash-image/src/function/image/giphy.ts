/** GIPHY's random-image API. */
import type { Log } from '../log';
import type { Settings } from '../settings';
import type { ImageResult, ImageSource } from './image';
import { parseResponse } from './parse-response';

const MAX_RESPONSE_BYTES = 1_048_576;
/** Minimum remaining time for a second attempt. */
const RETRY_MS = 800;

/** Not retried: a second response would be as large. */
class ResponseTooLargeError extends Error {}

type Attempt = { readonly result: ImageResult; readonly isRetriable: boolean; readonly reason?: string };

/** @param key sent with every request, only to the image API. */
export function createGiphy(
  settings: Settings,
  key: string,
  log: Log,
  request: (url: URL, init: RequestInit) => Promise<Response> = fetch,
): ImageSource {
  function address(term: string): URL {
    const url = new URL(settings.imageApiUrl);
    url.searchParams.set('api_key', key);
    url.searchParams.set('tag', term);
    if (settings.imageRating !== '') url.searchParams.set('rating', settings.imageRating);
    return url;
  }

  async function attempt(url: URL, timeoutMs: number): Promise<Attempt> {
    const signal = AbortSignal.timeout(Math.max(1, Math.floor(timeoutMs)));
    try {
      // Following a redirect would send the key to another host.
      const response = await request(url, { signal, redirect: 'manual', headers: { Accept: 'application/json' } });
      const { status } = response;
      const body = parse(await readText(response));
      const result = parseResponse(status, body, settings.imageHosts);
      return { result, isRetriable: status >= 500, reason: describeResponse(status, body) };
    } catch (error) {
      const isRetriable = !signal.aborted && !(error instanceof ResponseTooLargeError);
      return { result: { kind: 'unavailable' }, isRetriable, reason: describeError(error, key) };
    }
  }

  return {
    async random(term, budgetMs) {
      const end = performance.now() + Math.min(budgetMs, settings.upstreamTimeoutMs);
      const url = address(term);
      let last = await attempt(url, end - performance.now());
      if (last.isRetriable && end - performance.now() >= RETRY_MS) last = await attempt(url, end - performance.now());
      if (last.result.kind === 'none' && last.result.unusable !== undefined)
        log('warn', 'the image from the API is not usable', { reason: last.result.unusable });
      else if (last.result.kind === 'refused') log('error', 'the image API rejected the key', { reason: last.reason });
      else if (last.result.kind !== 'image' && last.result.kind !== 'none')
        log('warn', 'the image API request failed', { kind: last.result.kind, reason: last.reason });
      return last.result;
    },
  };
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    // Leaving the loop aborts the transfer.
    if (size > MAX_RESPONSE_BYTES)
      throw new ResponseTooLargeError(`the response is larger than ${MAX_RESPONSE_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Undefined: not JSON. */
function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function describeResponse(status: number, body: unknown): string {
  if (status >= 300 && status < 400) return `status ${status}: redirects are not followed`;
  return body === undefined ? `status ${status}, not JSON` : `status ${status}`;
}

/**
 * The messages of an error and its causes, without URLs and the key. URLs contain the key and the search term.
 */
function describeError(error: unknown, key: string): string {
  const parts: string[] = [];
  type Link = { message?: string; code?: string; name?: string; cause?: unknown } | null | undefined;
  for (let at = error as Link; at && parts.length < 5; at = at.cause as Link) {
    const text = (at.message || at.code || String(at.name)).replace(/\bhttps?:\/\/[^\s"']+/gi, '<url>');
    parts.push(text.replaceAll(key, '***').replaceAll(encodeURIComponent(key), '***'));
  }
  return parts.join(': ');
}
