/** GIPHY's random-image API. */
import type { Log } from '../log';
import type { Settings } from '../settings';
import type { ImageResult, ImageSource } from './image';
import { readAnswer } from './read-answer';

const MAX_ANSWER_BYTES = 1_048_576;
/** A second attempt is worth it with this much time left. */
const RETRY_MS = 800;

/** Asking again would bring the same. */
class LargeAnswerError extends Error {}

type Attempt = { readonly result: ImageResult; readonly mayHeal: boolean; readonly reason?: string };

/** @param key sent with every request, and to nobody else. */
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
      // Following a redirect would take the key to somebody else.
      const response = await request(url, { signal, redirect: 'manual', headers: { Accept: 'application/json' } });
      const { status } = response;
      const body = parse(await readText(response));
      const result = readAnswer(status, body, settings.imageHosts);
      return { result, mayHeal: status >= 500, reason: describeAnswer(status, body) };
    } catch (error) {
      const mayHeal = !signal.aborted && !(error instanceof LargeAnswerError);
      return { result: { kind: 'unavailable' }, mayHeal, reason: describeError(error, key) };
    }
  }

  return {
    async random(term, budgetMs) {
      const end = performance.now() + Math.min(budgetMs, settings.upstreamTimeoutMs);
      const url = address(term);
      let last = await attempt(url, end - performance.now());
      if (last.mayHeal && end - performance.now() >= RETRY_MS) last = await attempt(url, end - performance.now());
      if (last.result.kind === 'none' && last.result.unusable !== undefined)
        log('warn', 'the image of the API is not used', { reason: last.result.unusable });
      else if (last.result.kind === 'refused') log('error', 'the image API refused the key', { reason: last.reason });
      else if (last.result.kind !== 'image' && last.result.kind !== 'none')
        log('warn', 'the image API did not answer', { kind: last.result.kind, reason: last.reason });
      return last.result;
    },
  };
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    // Leaving the loop ends the transfer.
    if (size > MAX_ANSWER_BYTES) throw new LargeAnswerError(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Undefined: no JSON. */
function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function describeAnswer(status: number, body: unknown): string {
  if (status >= 300 && status < 400) return `status ${status}: redirects are not followed`;
  return body === undefined ? `status ${status}, and no JSON` : `status ${status}`;
}

/**
 * The messages of an error and of what caused it. Theirs may have the URL, and with it the key and what was looked for.
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
