/** Messages in the chat platform's shape. Texts of others are escaped; texts of the operator are not. */
import { escapeText } from './escape';
import type { Image } from './image/image';
import type { Settings } from './settings';

/** The provider's terms want it seen beside each image. */
const ATTRIBUTION = 'Powered By GIPHY';
/** Of a block's texts. */
const MAX_CHARACTERS = 2_000;

export type Message = Readonly<Record<string, unknown>>;

export function imageMessage(image: Image, term: string, settings: Settings): Message {
  const title = escapeText(image.title);
  const alt = escapeText(image.alt || image.title || `GIF for ${term}`);
  return settings.style === 'blocks'
    ? blocks(image.url, title, alt, settings)
    : attachment(image.url, title, alt, settings);
}

/** Seen by whoever typed the command, and nobody else. */
export function privateMessage(text: string): Message {
  return { response_type: 'ephemeral', text };
}

function attachment(url: string, title: string, alt: string, { visibility, text }: Settings): Message {
  return {
    response_type: visibility,
    text,
    attachments: [{ text: title, image_url: url, fallback: alt, footer: ATTRIBUTION }],
  };
}

function blocks(url: string, title: string, alt: string, { visibility }: Settings): Message {
  const image = {
    type: 'image',
    image_url: url,
    alt_text: cut(alt),
    // An empty one is refused.
    ...(title === '' ? {} : { title: { type: 'plain_text', text: cut(title) } }),
  };
  const context = { type: 'context', elements: [{ type: 'mrkdwn', text: ATTRIBUTION }] };
  return { response_type: visibility, text: alt, blocks: [image, context] };
}

/** Not within an entity or a character. */
function cut(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  return text.slice(0, MAX_CHARACTERS).replace(/&[a-z]{0,3}$|[\ud800-\udbff]$/, '');
}
