/** What GIPHY's answer to a random-image request means. Pure: an HTTP status and parsed JSON in, a result out. */
import type { ImageResult } from './image';

/**
 * Renditions from the one that fits a chat best (2 MB at most) to the last resort, then the fields of older answers.
 */
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
    // Nothing was found; without an id nothing was looked for: the provider's stand-in for an answer in times of
    // trouble.
    return { kind: text(meta['response_id']) === '' ? 'unavailable' : 'none' };
  }
  return pickImage(data, hosts);
}

function pickImage(data: Json, hosts: readonly string[]): ImageResult {
  const images = object(data['images']);
  const urls = [...RENDITIONS.map((name) => object(images[name])['url']), ...FLAT_FIELDS.map((name) => data[name])];
  const candidates = urls.map(text).filter((candidate) => candidate !== '');
  const url = candidates.find((candidate) => urlProblem(candidate, hosts) === null);
  if (url === undefined) return { kind: 'none', unusable: whyNone(candidates, hosts) };
  const title = text(data['title']).trim();
  return { kind: 'image', image: { url, title, alt: text(data['alt_text']).trim() || title } };
}

/** Of the one that would have been the best. */
function whyNone([best]: readonly string[], hosts: readonly string[]): string {
  return (best !== undefined && urlProblem(best, hosts)) || 'it has no address';
}

/** Why an image must not be shown; null: it may. */
function urlProblem(text: string, hosts: readonly string[]): string | null {
  if (text.length > MAX_URL_CHARACTERS) return `its address is longer than ${MAX_URL_CHARACTERS} characters`;
  if (!URL.canParse(text)) return 'its address is no URL';
  const { protocol, hostname, username, password } = new URL(text);
  if (protocol !== 'https:') return 'its address is not https';
  if (username !== '' || password !== '') return 'its address has a user in it';
  const isAllowed = hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`));
  return isAllowed ? null : `${hostname} is not in IMAGE_HOSTS`;
}

function object(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
