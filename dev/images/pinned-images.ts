/** The images that container files name, each as `name:tag@sha256:…`. */

/** Files of the repository that name images. */
export const CONTAINER_FILES = ['Dockerfile', 'apps/users/Dockerfile', 'apps/slash-image/Dockerfile'];
export const COMPOSE_FILES = ['compose.yaml', 'apps/users/compose.yaml'];

const IMAGE = /^((?:FROM| *image:) +)([\w./-]+(?::[\w.-]+)?)(?:@(sha256:[0-9a-f]{64}))?(?=\s|$)/gm;

export interface NamedImage {
  /** With its tag. */
  readonly image: string;
  /** Undefined where the file names none. */
  readonly digest: string | undefined;
}

export function imagesIn(text: string): NamedImage[] {
  return [...text.matchAll(IMAGE)].map(([, , image, digest]) => ({ image: image as string, digest }));
}

/** The text with other digests; images that are not among them stay as they are. */
export function withDigests(text: string, digests: ReadonlyMap<string, string>): string {
  return text.replace(IMAGE, (whole, before: string, image: string) => {
    const digest = digests.get(image);
    return digest === undefined ? whole : `${before}${image}@${digest}`;
  });
}
