export interface Image {
  /** https, from an allowed host. */
  readonly url: string;
  /** May be empty. */
  readonly title: string;
  /** Alternative text; may be empty. */
  readonly alt: string;
}

/** Outcome of a search. `busy`: too many requests. `refused`: the key or the request is rejected. */
export type ImageResult =
  | { readonly kind: 'image'; readonly image: Image }
  /** `unusable`: for the log, why an image that was found must not be used. */
  | { readonly kind: 'none'; readonly unusable?: string }
  | { readonly kind: 'unavailable' | 'busy' | 'refused' };

/** Provider of images. */
export interface ImageSource {
  /** A random image for the term. Does not reject for provider failures, and settles within `budgetMs`. */
  random(term: string, budgetMs: number): Promise<ImageResult>;
}
