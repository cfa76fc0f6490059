/** Token requests of each login strategy. Sources: analytics-sink §1.4, §5.2. */
import { readRegularFile } from '@millrace/sdk';
import type { LoginSettings } from '../config/settings';
import type { Cloud } from './cloud';
import { parseJson, type Http, type HttpRequest } from './http';
import { ServiceError } from './service-error';
import { KEY } from '../config/definitions';

interface AccessToken {
  readonly token: string;
  readonly lifeMs: number;
}

interface TokenContext {
  readonly http: Http;
  readonly settings: LoginSettings;
  readonly cloud: Cloud;
  readonly clusterUrl: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** A token has a few KB. */
const MAX_TOKEN_FILE_BYTES = 64 * 1024;

type RequestToken = (context: TokenContext) => Promise<AccessToken>;

/** @throws ServiceError, with code `ANALYTICS_LOGIN` when the login is rejected or lacks a setting. */
export const TOKEN_REQUESTS: Readonly<Record<'application' | 'managed_identity' | 'workload_identity', RequestToken>> =
  {
    application: async (context) => {
      const { tenant, appId, appKey, endpoint, scope } = context.settings;
      const form = {
        grant_type: 'client_credentials',
        client_id: appId,
        client_secret: appKey,
        scope: scope ?? scopeOf(context.cloud.resource),
      };
      return await requestToken(
        context,
        { ...tokenRequest(endpoint ?? context.cloud.loginEndpoint, tenant, form), setting: KEY.authEndpoint },
        'The identity provider rejects the application',
        'Check "idp.auth.authority", "idp.auth.appid" and "idp.auth.appkey".',
      );
    },

    // The identity of the machine, or the one that `idp.auth.appid` names.
    managed_identity: async (context) => {
      const { settings, cloud, environment } = context;
      const { IDENTITY_ENDPOINT: endpoint, IDENTITY_HEADER: header } = environment;
      const isHosted = Boolean(endpoint && header);
      const host = environment.AZURE_POD_IDENTITY_AUTHORITY_HOST ?? 'http://169.254.169.254';
      const query = new URLSearchParams({
        'api-version': isHosted ? '2019-08-01' : '2018-02-01',
        resource: cloud.resource,
      });
      if (settings.appId !== '') query.set('client_id', settings.appId);
      return await requestToken(
        context,
        {
          method: 'GET',
          url: `${isHosted ? endpoint : `${withoutSlash(host)}/metadata/identity/oauth2/token`}?${query.toString()}`,
          headers: isHosted ? { 'X-IDENTITY-HEADER': header as string } : { Metadata: 'true' },
        },
        'This machine has no managed identity',
        'Assign one to it, and set "idp.auth.appid" where it has several.',
      );
    },

    workload_identity: async (context) => {
      const { environment } = context;
      const names = ['AZURE_TENANT_ID', 'AZURE_CLIENT_ID', 'AZURE_FEDERATED_TOKEN_FILE'];
      const [tenant, client, file] = names.map((name) => environment[name] ?? '') as [string, string, string];
      const missing = names.filter((name) => !environment[name]);
      if (missing.length > 0)
        throw rejected(
          `Authentication strategy workload_identity needs the environment variables ${missing.join(', ')}`,
        );
      // Read for each request, because the file is replaced before its token expires.
      const assertion = await readRegularFile(file, MAX_TOKEN_FILE_BYTES).catch((error: unknown) => {
        throw rejected(`Cannot read the token file of the workload identity: ${(error as Error).message}`, error);
      });
      return await requestToken(
        context,
        tokenRequest(environment.AZURE_AUTHORITY_HOST ?? context.cloud.loginEndpoint, tenant, {
          grant_type: 'client_credentials',
          client_id: client,
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: assertion.toString('utf8').trim(),
          scope: scopeOf(context.clusterUrl),
        }),
        'The identity provider rejects the workload’s identity',
        `Check ${names.join(', ')} in the worker's environment.`,
      );
    },
  };

function tokenRequest(endpoint: string, tenant: string, form: Record<string, string>): Omit<HttpRequest, 'signal'> {
  return {
    method: 'POST',
    url: `${withoutSlash(endpoint)}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
    body: new URLSearchParams(form).toString(),
  };
}

async function requestToken(
  { http, signal }: TokenContext,
  request: Omit<HttpRequest, 'signal'>,
  refusal: string,
  hint: string,
): Promise<AccessToken> {
  let text: string;
  try {
    ({ text } = await http.require({ ...request, signal }));
  } catch (error) {
    if (error instanceof ServiceError && (error.status === 400 || error.status === 401))
      throw rejected(`${refusal}: ${error.message}. ${hint}`, error, error.status);
    throw error;
  }
  const { access_token: token, ...more } = parseJson(text, request.url) as Record<string, unknown>;
  if (typeof token !== 'string') throw rejected('The identity provider returned no token');
  // Providers state either a lifetime or an expiry time.
  const seconds = Number(more.expires_in ?? Number(more.expires_on ?? 0) - Date.now() / 1_000);
  return { token, lifeMs: Math.max(0, seconds * 1_000) };
}

/** Transient, because files are retried while an operator may replace an expired secret. */
function rejected(message: string, cause?: unknown, status?: number): ServiceError {
  return new ServiceError(message, 'transient', { code: 'ANALYTICS_LOGIN', cause, ...(status && { status }) });
}

function scopeOf(resource: string): string {
  return `${withoutSlash(resource)}/.default`;
}

function withoutSlash(url: string): string {
  return url.replace(/(?<!\/)\/+$/, '');
}
