/** What GIPHY's answer to a random-image request means. Pure: an HTTP status and parsed JSON in, a result out. */
import type { Image, ImageResult } from './image';

/** Renditions from the one that fits a chat best (2 MB at most) to the last resort, then the fields of older answers. */
const RENDITIONS = ['downsized', 'downsized_medium', 'fixed_height', 'original'];
const FLAT_FIELDS = ['image_url', 'image_original_url', 'fixed_height_downsampled_url'];
/** The chat platform takes no longer ones. */
const MAX_URL_CHARACTERS = 3_000;

type Json = Readonly<Record<string, unknown>>;

export function readAnswer(httpStatus: number, body: unknown, hosts: readonly string[]): ImageResult {
  const answer = object(body);
  const meta = object(answer['meta']);
  const status = httpStatus === 200 && typeof meta['status'] === 'number' ? meta['status'] : httpStatus;
  if (status === 429) return { kind: 'busy' };
  if (status === 401 || status === 403) return { kind: 'refused' };
  if (status !== 200) return { kind: 'unavailable' };
  const data = object(answer['data']);
  if (Object.keys(data).length === 0) {
    // Nothing was found; without an id nothing was looked for: the provider's stand-in for an answer in times of trouble.
    return { kind: text(meta['response_id']) === '' ? 'unavailable' : 'none' };
  }
  const image = pickImage(data, hosts);
  return image ? { kind: 'image', image } : { kind: 'none' };
}

function pickImage(data: Json, hosts: readonly string[]): Image | null {
  const images = object(data['images']);
  const urls = [...RENDITIONS.map((name) => object(images[name])['url']), ...FLAT_FIELDS.map((name) => data[name])];
  const url = urls.map(text).find((candidate) => isUsable(candidate, hosts));
  if (url === undefined) return null;
  const title = text(data['title']).trim();
  return { url, title, alt: text(data['alt_text']).trim() || title };
}

function isUsable(text: string, hosts: readonly string[]): boolean {
  if (text.length > MAX_URL_CHARACTERS || !URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const isAllowed = hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`));
  return protocol === 'https:' && isAllowed && username === '' && password === '';
}

function object(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
