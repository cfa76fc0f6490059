/** Looks up the digest that an image tag currently has in a registry. */
import { createHash } from 'node:crypto';

/** Manifest lists come first: their digest is the same for all platforms. */
const ACCEPT = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');
const TIMEOUT_MS = 30_000;

/**
 * Resolves with `sha256:…`, computed from the manifest that the registry returned.
 * @param registry base URL, e.g. of a mirror
 * @param image e.g. `node:24-slim`; a name without a slash is in `library/`
 */
export async function imageDigest(registry: string, image: string): Promise<string> {
  const [name, tag = 'latest'] = image.split(':') as [string, string?];
  const repository = name.includes('/') ? name : `library/${name}`;
  const url = new URL(`/v2/${repository}/manifests/${tag}`, registry);
  const ask = async (headers: Record<string, string>) =>
    await fetch(url, { headers: { Accept: ACCEPT, ...headers }, signal: AbortSignal.timeout(TIMEOUT_MS) });
  let answer = await ask({});
  if (answer.status === 401) answer = await ask({ Authorization: `Bearer ${await token(answer, repository)}` });
  if (!answer.ok) throw new Error(`${url.href} answers ${answer.status}: is there an image ${image}?`);
  const digest = `sha256:${createHash('sha256')
    .update(Buffer.from(await answer.arrayBuffer()))
    .digest('hex')}`;
  const named = answer.headers.get('docker-content-digest');
  if (named !== null && named !== digest)
    throw new Error(`${url.href} sent a manifest of ${digest} and calls it ${named}: something changed it on its way.`);
  return digest;
}

/** Gets an anonymous token for public images from the server that the 401 response names. */
async function token(refusal: Response, repository: string): Promise<string> {
  const challenge = refusal.headers.get('www-authenticate') ?? '';
  const parameters = new Map([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]));
  const realm = parameters.get('realm');
  if (!challenge.startsWith('Bearer ') || !realm) throw new Error(`${refusal.url} asks for a login.`);
  const url = new URL(realm);
  url.searchParams.set('service', parameters.get('service') ?? '');
  url.searchParams.set('scope', `repository:${repository}:pull`);
  const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`${url.origin} answers ${answer.status} instead of giving a token.`);
  const { token, access_token } = (await answer.json()) as { token?: string; access_token?: string };
  return token ?? access_token ?? '';
}
