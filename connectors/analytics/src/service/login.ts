/** Bearer tokens: asked for once, kept until shortly before they run out. Sources: analytics-sink §1.4, §5.2, §5.3. */
import type { LoginSettings } from '../config/settings';
import { parseJson, type Http } from './http';
import { ServiceError } from './service-error';
import { SharedRead } from './shared-read';

const EARLY_MS = 5 * 60_000;

interface Cloud {
  readonly loginEndpoint: string;
  readonly resource: string;
}
/** What a cluster that does not say so means. */
const PUBLIC_CLOUD: Cloud = {
  loginEndpoint: 'https://login.microsoftonline.com',
  resource: 'https://kusto.kusto.windows.net',
};

export class Login {
  private token: { readonly text: string; readonly validUntil: number } | null = null;
  private readonly asking: SharedRead<string>;
  private cloud: Cloud | null = null;

  constructor(
    private readonly http: Http,
    private readonly settings: LoginSettings,
    private readonly clusterUrl: string,
    closing: AbortSignal,
    private readonly now: () => number = Date.now,
  ) {
    this.asking = new SharedRead(async (signal) => await this.request(signal), closing);
  }

  /** The headers that a call needs. @throws ServiceError, with code `ANALYTICS_LOGIN` when the login is refused. */
  async headers(signal: AbortSignal): Promise<Record<string, string>> {
    const { strategy, accessToken } = this.settings;
    if (strategy === 'none') return {};
    const token = strategy === 'az_dev_token' ? accessToken : await this.applicationToken(signal);
    return { Authorization: `Bearer ${token}` };
  }

  /** The service did not take the token. */
  forget(): void {
    this.token = null;
  }

  private async applicationToken(signal: AbortSignal): Promise<string> {
    if (this.token && this.now() < this.token.validUntil) return this.token.text;
    return await this.asking.get(signal);
  }

  private async request(signal: AbortSignal): Promise<string> {
    const { tenant, appId, appKey, endpoint, scope } = this.settings;
    const cloud = await this.cloudOf(signal);
    const base = (endpoint ?? cloud.loginEndpoint).replace(/\/+$/, '');
    const url = `${base}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`;
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: appId,
      client_secret: appKey,
      scope: scope ?? `${cloud.resource.replace(/\/+$/, '')}/.default`,
    });
    let text: string;
    try {
      ({ text } = await this.http.require({
        method: 'POST',
        url,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
        body: form.toString(),
        signal,
      }));
    } catch (error) {
      if (error instanceof ServiceError && (error.status === 400 || error.status === 401))
        // Not the files' fault: they wait, while somebody may put a new secret in the place of one that has run out.
        throw new ServiceError(
          `The identity provider refuses the application: ${error.message}. Check "idp.auth.authority", "idp.auth.appid" and "idp.auth.appkey".`,
          'transient',
          { code: 'ANALYTICS_LOGIN', cause: error, status: error.status },
        );
      throw error;
    }
    const { access_token: token, expires_in: seconds } = parseJson(text, url) as Record<string, unknown>;
    if (typeof token !== 'string')
      throw new ServiceError('The identity provider answers without a token', 'transient', { code: 'ANALYTICS_LOGIN' });
    const lifeMs = Number(seconds ?? 0) * 1_000;
    // Short-lived tokens are used for half their life.
    this.token = { text: token, validUntil: this.now() + Math.max(lifeMs - EARLY_MS, lifeMs / 2) };
    return token;
  }

  private async cloudOf(signal: AbortSignal): Promise<Cloud> {
    if (this.settings.endpoint !== null && this.settings.scope !== null) return PUBLIC_CLOUD;
    this.cloud ??= await this.readCloud(signal);
    return this.cloud;
  }

  private async readCloud(signal: AbortSignal): Promise<Cloud> {
    const url = `${this.clusterUrl}/v1/rest/auth/metadata`;
    const answer = await this.http.send({ method: 'GET', url, headers: { Accept: 'application/json' }, signal });
    if (answer.status === 404) return PUBLIC_CLOUD;
    if (answer.status !== 200)
      throw new ServiceError(`${url} answers ${answer.status}`, answer.status >= 500 ? 'transient' : 'permanent', {
        status: answer.status,
      });
    const { AzureAD: cloud = {} } = parseJson(answer.text, url) as { AzureAD?: Record<string, unknown> };
    const resource = String(cloud.KustoServiceResourceId ?? PUBLIC_CLOUD.resource);
    return {
      loginEndpoint: String(cloud.LoginEndpoint ?? PUBLIC_CLOUD.loginEndpoint),
      resource: cloud.LoginMfaRequired === true ? resource.replace('.kusto.', '.kustomfa.') : resource,
    };
  }
}
