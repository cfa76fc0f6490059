/** Interprets GIPHY's response to a random-image request. */
import type { ImageResult } from './image';

/**
 * Renditions in order of preference, starting with the one of at most 2 MB, then the fields of older responses.
 */
const RENDITIONS = ['downsized', 'downsized_medium', 'fixed_height', 'original'];
const FLAT_FIELDS = ['image_url', 'image_original_url', 'fixed_height_downsampled_url'];
/** The chat platform's limit. */
const MAX_URL_CHARACTERS = 3_000;

type Json = Readonly<Record<string, unknown>>;

export function parseResponse(httpStatus: number, body: unknown, hosts: readonly string[]): ImageResult {
  const answer = object(body);
  const meta = object(answer['meta']);
  const status = httpStatus === 200 && typeof meta['status'] === 'number' ? meta['status'] : httpStatus;
  if (status === 429) return { kind: 'busy' };
  if (status === 401 || status === 403) return { kind: 'refused' };
  if (status !== 200) return { kind: 'unavailable' };
  const data = object(answer['data']);
  if (Object.keys(data).length === 0) {
    // Nothing was found. Without a response id, the provider did not search: it returns this when it has problems.
    return { kind: text(meta['response_id']) === '' ? 'unavailable' : 'none' };
  }
  return pickImage(data, hosts);
}

function pickImage(data: Json, hosts: readonly string[]): ImageResult {
  const images = object(data['images']);
  const urls = [...RENDITIONS.map((name) => object(images[name])['url']), ...FLAT_FIELDS.map((name) => data[name])];
  const candidates = urls.map(text).filter((candidate) => candidate !== '');
  const url = candidates.find((candidate) => urlProblem(candidate, hosts) === null);
  if (url === undefined) return { kind: 'none', unusable: unusableReason(candidates, hosts) };
  const title = text(data['title']).trim();
  return { kind: 'image', image: { url, title, alt: text(data['alt_text']).trim() || title } };
}

/** Why the preferred rendition cannot be used. */
function unusableReason([best]: readonly string[], hosts: readonly string[]): string {
  return (best !== undefined && urlProblem(best, hosts)) || 'it has no URL';
}

/** Why an image must not be shown. Null: it may be shown. */
function urlProblem(text: string, hosts: readonly string[]): string | null {
  if (text.length > MAX_URL_CHARACTERS) return `its URL is longer than ${MAX_URL_CHARACTERS} characters`;
  if (!URL.canParse(text)) return 'its URL is invalid';
  const { protocol, hostname, username, password } = new URL(text);
  if (protocol !== 'https:') return 'its URL is not https';
  if (username !== '' || password !== '') return 'its URL contains a user';
  const isAllowed = hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`));
  return isAllowed ? null : `${hostname} is not in IMAGE_HOSTS`;
}

function object(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
