/** Reads and replaces the images in container files, each as `name:tag@sha256:…`. */

/** Files in the repository that contain image names. */
export const CONTAINER_FILES = ['Dockerfile', 'apps/users/Dockerfile', 'apps/slash-image/Dockerfile'];
export const COMPOSE_FILES = ['compose.yaml', 'apps/users/compose.yaml', 'deploy/compose-monitoring.yaml'];

const IMAGE = /^((?:FROM| *image:) +)([\w./-]+(?::[\w.-]+)?)(?:@(sha256:[0-9a-f]{64}))?(?=\s|$)/gm;

export interface NamedImage {
  /** Name and tag. */
  readonly image: string;
  /** Undefined if the image is not pinned. */
  readonly digest: string | undefined;
}

/** Without the stages of the same file, which a later `FROM` may name. */
export function imagesIn(text: string): NamedImage[] {
  const stages = new Set([...text.matchAll(/^FROM .* AS (\S+)$/gm)].map(([, stage]) => stage as string));
  return [...text.matchAll(IMAGE)]
    .map(([, , image, digest]) => ({ image: image as string, digest }))
    .filter(({ image }) => !stages.has(image));
}

/** The text with new digests. Images without an entry in `digests` are unchanged. */
export function withDigests(text: string, digests: ReadonlyMap<string, string>): string {
  return text.replace(IMAGE, (whole, before: string, image: string) => {
    const digest = digests.get(image);
    return digest === undefined ? whole : `${before}${image}@${digest}`;
  });
}
