/** Bearer tokens, cached until shortly before they expire. Sources: analytics-sink §1.4, §5.2. */
import type { LoginSettings } from '../config/settings';
import { chooseCloud, readCloud, type Cloud } from './cloud';
import { TOKEN_REQUESTS } from './access-tokens';
import { Http } from './http';
import { SharedRead } from './shared-read';

const RENEW_BEFORE_EXPIRY_MS = 5 * 60_000;

export class Login {
  private token: { readonly text: string; readonly validUntil: number } | null = null;
  private readonly pendingRequest: SharedRead<string>;
  private cloud: Cloud | null = null;
  /** The identity endpoint of a machine is local to it or its host, so that no proxy is used. */
  private readonly direct = new Http({ proxy: null });

  constructor(
    private readonly http: Http,
    private readonly settings: LoginSettings,
    private readonly clusterUrl: string,
    closing: AbortSignal,
    private readonly environment: Readonly<Record<string, string | undefined>> = process.env,
    private readonly now: () => number = Date.now,
  ) {
    this.pendingRequest = new SharedRead(async (signal) => await this.request(signal), closing);
  }

  /** The headers that a call needs. @throws ServiceError, with code `ANALYTICS_LOGIN` when the login is rejected. */
  async headers(signal: AbortSignal): Promise<Record<string, string>> {
    const { strategy, accessToken } = this.settings;
    if (strategy === 'none') return {};
    const token = strategy === 'az_dev_token' ? accessToken : await this.current(signal);
    return { Authorization: `Bearer ${token}` };
  }

  /** Called when the service rejects the token. */
  forget(): void {
    this.token = null;
  }

  private async current(signal: AbortSignal): Promise<string> {
    if (this.token && this.now() < this.token.validUntil) return this.token.text;
    return await this.pendingRequest.get(signal);
  }

  private async request(signal: AbortSignal): Promise<string> {
    const { settings, clusterUrl, environment } = this;
    const strategy = settings.strategy as keyof typeof TOKEN_REQUESTS;
    const cloud = await this.cloudOf(signal);
    const http = strategy === 'managed_identity' ? this.direct : this.http;
    const issued = await TOKEN_REQUESTS[strategy]({ http, settings, cloud, clusterUrl, environment, signal });
    // Short-lived tokens are used for half their lifetime.
    this.token = {
      text: issued.token,
      validUntil: this.now() + Math.max(issued.lifeMs - RENEW_BEFORE_EXPIRY_MS, issued.lifeMs / 2),
    };
    return issued.token;
  }

  private async cloudOf(signal: AbortSignal): Promise<Cloud> {
    const { endpoint, scope, clusterMayBeProvider: mayBeProvider } = this.settings;
    const cluster = { url: this.clusterUrl, mayBeProvider, configured: this.configured() };
    if (endpoint !== null && scope !== null) return chooseCloud(cluster, {});
    this.cloud ??= await readCloud(this.http, cluster, signal);
    return this.cloud;
  }

  /**
   * What the token requests use instead of the cluster's values. An identity of the machine or the workload belongs to
   * the worker's operator, so a connector's keys have no effect on it.
   */
  private configured(): { readonly provider: string | null; readonly resource: string | null } {
    const { strategy, endpoint, scope } = this.settings;
    if (strategy === 'application') return { provider: endpoint, resource: scope?.replace(/\/\.default$/, '') ?? null };
    const host = strategy === 'workload_identity' ? this.environment.AZURE_AUTHORITY_HOST : undefined;
    return { provider: host ?? null, resource: null };
  }
}
