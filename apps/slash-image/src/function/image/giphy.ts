/** GIPHY's random-image API. */
import type { Log } from '../log';
import type { Settings } from '../settings';
import type { ImageResult, ImageSource } from './image';
import { readAnswer } from './read-answer';

const MAX_ANSWER_BYTES = 1_048_576;
/** A second attempt is worth it with this much time left. */
const RETRY_MS = 800;

type Attempt = { readonly result: ImageResult; readonly mayHeal: boolean; readonly reason?: string };

/** @param key sent with every request, and to nobody else. */
export function createGiphy(settings: Settings, key: string, log: Log): ImageSource {
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
      // A redirect would take the key to somebody else.
      const response = await fetch(url, { signal, redirect: 'error', headers: { Accept: 'application/json' } });
      const body = await readText(response);
      const result = readAnswer(response.status, parse(body), settings.imageHosts);
      return { result, mayHeal: response.status >= 500, reason: `status ${response.status}` };
    } catch (error) {
      return { result: { kind: 'unavailable' }, mayHeal: !signal.aborted, reason: describe(error) };
    }
  }

  return {
    async random(term, budgetMs) {
      const end = performance.now() + Math.min(budgetMs, settings.upstreamTimeoutMs);
      const url = address(term);
      let last = await attempt(url, end - performance.now());
      if (last.mayHeal && end - performance.now() >= RETRY_MS) last = await attempt(url, end - performance.now());
      if (last.result.kind === 'refused') log('error', 'the image API refused the key', { reason: last.reason });
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
    if (size > MAX_ANSWER_BYTES) throw new Error('answer too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

/** Names and codes alone: messages may have the URL, and with it the key. */
function describe(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string; name?: string } };
  return [name, cause?.code ?? cause?.name].filter(Boolean).join(' ');
}
