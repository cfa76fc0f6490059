export interface Image {
  /** https, from a host that is allowed. */
  readonly url: string;
  /** May be empty. */
  readonly title: string;
  /** What to read where the image cannot be seen; may be empty. */
  readonly alt: string;
}

/** How a search ended. `busy`: too many requests. `refused`: our key or our request is not accepted. */
export type ImageResult =
  | { readonly kind: 'image'; readonly image: Image }
  /** With the reason, for the log, where there is an image that must not be used. */
  | { readonly kind: 'none'; readonly unusable?: string }
  | { readonly kind: 'unavailable' | 'busy' | 'refused' };

/** Where images come from. */
export interface ImageSource {
  /** A random image for the term. Never rejects for trouble on the other side, and settles within `budgetMs`. */
  random(term: string, budgetMs: number): Promise<ImageResult>;
}
