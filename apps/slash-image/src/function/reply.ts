/** Messages in the chat platform's format. Untrusted text is escaped, the operator's is not. */
import { escapeText } from './chat-text';
import type { Image } from './image/image';
import type { Settings } from './settings';

/** The provider's terms require it next to each image. */
const ATTRIBUTION = 'Powered By GIPHY';
/** Maximum length of texts in a block. */
const MAX_CHARACTERS = 2_000;

type Message = Readonly<Record<string, unknown>>;

export function imageMessage(image: Image, term: string, settings: Settings): Message {
  const title = escapeText(image.title);
  const alt = escapeText(image.alt || image.title || `GIF for ${term}`);
  return settings.style === 'blocks'
    ? blocks(image.url, title, alt, settings)
    : attachment(image.url, title, alt, settings);
}

/** Visible only to the user who typed the command. */
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
    alt_text: truncate(alt),
    // The platform rejects an empty title.
    ...(title === '' ? {} : { title: { type: 'plain_text', text: truncate(title) } }),
  };
  const context = { type: 'context', elements: [{ type: 'mrkdwn', text: ATTRIBUTION }] };
  return { response_type: visibility, text: alt, blocks: [image, context] };
}

/** Truncates without splitting an entity or a character. */
function truncate(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  return text.slice(0, MAX_CHARACTERS).replace(/&[a-z]{0,3}$|[\ud800-\udbff]$/, '');
}
