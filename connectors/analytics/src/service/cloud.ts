/** Where a cluster's tokens come from and what they are for, as the cluster itself says. Source: analytics-sink §5.3. */
import { parseJson, type Http } from './http';
import { ServiceError } from './service-error';
import { INGESTION_URL } from './setting-names';

export interface Cloud {
  readonly loginEndpoint: string;
  readonly resource: string;
}

/** What a cluster that does not say so means. */
export const PUBLIC_CLOUD: Cloud = {
  loginEndpoint: 'https://login.microsoftonline.com',
  resource: 'https://kusto.kusto.windows.net',
};

/** @throws ServiceError */
export async function readCloud(http: Http, clusterUrl: string, signal: AbortSignal): Promise<Cloud> {
  const url = `${clusterUrl}/v1/rest/auth/metadata`;
  const text = await http
    .require({ method: 'GET', url, headers: { Accept: 'application/json' }, setting: INGESTION_URL, signal })
    .then(
      (answer) => answer.text,
      (error: unknown) => {
        if (error instanceof ServiceError && error.status === 404) return null;
        throw error;
      },
    );
  if (text === null) return PUBLIC_CLOUD;
  const { AzureAD: cloud = {} } = parseJson(text, url) as { AzureAD?: Record<string, unknown> };
  const resource = String(cloud.KustoServiceResourceId ?? PUBLIC_CLOUD.resource);
  return {
    loginEndpoint: String(cloud.LoginEndpoint ?? PUBLIC_CLOUD.loginEndpoint),
    resource: cloud.LoginMfaRequired === true ? resource.replace('.kusto.', '.kustomfa.') : resource,
  };
}
