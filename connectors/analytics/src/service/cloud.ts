/**
 * The identity provider and the resource of a cluster's tokens. The cluster names them, but only from those known for
 * its cloud and those that the operator has configured. Source: analytics-sink §5.3.
 */
import { loginsFor, resourcesFor } from '../config/clouds';
import { queryUrlOf } from '../config/endpoints';
import { parseJson, type Http } from './http';
import { ServiceError } from './service-error';
import { KEY } from '../config/definitions';

export interface Cloud {
  readonly loginEndpoint: string;
  readonly resource: string;
}

interface ClusterEndpoint {
  readonly url: string;
  /** Whether the cluster itself may issue the tokens, as an emulator does. */
  readonly mayBeProvider: boolean;
  /** The operator's provider and resource, which the cluster may name, too; null: none is set. */
  readonly configured?: { readonly provider: string | null; readonly resource: string | null };
}

/** @throws ServiceError, with code `ANALYTICS_LOGIN` for a response that names others. */
export async function readCloud(http: Http, cluster: ClusterEndpoint, signal: AbortSignal): Promise<Cloud> {
  const url = `${cluster.url}/v1/rest/auth/metadata`;
  const text = await http
    .require({ method: 'GET', url, headers: { Accept: 'application/json' }, setting: KEY.ingestionUrl, signal })
    .then(
      (response) => response.text,
      (error: unknown) => {
        if (error instanceof ServiceError && error.status === 404) return null;
        throw error;
      },
    );
  if (text === null) return chooseCloud(cluster, {});
  return chooseCloud(cluster, (parseJson(text, url) as { AzureAD?: Record<string, unknown> } | null)?.AzureAD ?? {});
}

/** From the cluster's response, with defaults for what it omits. Pure. @throws ServiceError as above. */
export function chooseCloud(cluster: ClusterEndpoint, answer: Readonly<Record<string, unknown>>): Cloud {
  const { url, mayBeProvider, configured } = cluster;
  const { hostname } = new URL(url);
  const own = [url, queryUrlOf(url)];
  const set = (text: string | null | undefined): string[] => (text ? [text.replace(/\/$/, '').toLowerCase()] : []);
  const logins = [...loginsFor(hostname), ...(mayBeProvider ? own : []), ...set(configured?.provider)];
  const resources = [
    ...resourcesFor(hostname),
    ...(mayBeProvider || url.startsWith('https://') ? own : []),
    ...set(configured?.resource),
  ];
  const choose = (named: unknown, known: readonly string[], what: string): string => {
    const fallback = known[0] as string;
    const text = String(named ?? fallback).replace(/\/$/, '');
    if (known.includes(text.toLowerCase())) return text.toLowerCase();
    throw new ServiceError(
      `${url} names ${JSON.stringify(text.slice(0, 200))} as ${what}, which is not one of ${known.join(', ')}. ` +
        `Check "${KEY.ingestionUrl}".`,
      'transient',
      { code: 'ANALYTICS_LOGIN' },
    );
  };
  const loginEndpoint = choose(answer.LoginEndpoint, logins, 'its identity provider');
  const resource = choose(answer.KustoServiceResourceId, resources, 'the resource of its tokens');
  return {
    loginEndpoint,
    resource: answer.LoginMfaRequired === true ? resource.replace('.kusto.', '.kustomfa.') : resource,
  };
}
