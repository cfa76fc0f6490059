/** Documentation that a plugin wrote: text, in which only addresses of the web become links. */
import type { JSX } from 'preact';
import { printableLines } from '../parts/printable';
import { ExternalLink } from '../parts/text';

const ADDRESS = /(https?:\/\/[^\s<>"'`()]+)/;
const SENTENCE_END = /[.,;:!?]$/;

export function Documentation({ children }: { readonly children: string }): JSX.Element {
  // The pattern is a group, so that every second part is an address.
  const parts = children.split(ADDRESS).flatMap((part, i) => {
    if (i % 2 === 0) return [part];
    const url = part.replace(SENTENCE_END, '');
    return [<ExternalLink key={i} url={url} />, part.slice(url.length)];
  });
  return (
    <bdi class="documentation">{parts.map((part) => (typeof part === 'string' ? printableLines(part) : part))}</bdi>
  );
}
