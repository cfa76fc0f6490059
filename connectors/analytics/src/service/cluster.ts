/** Authenticated calls to the cluster's two endpoints. Source: analytics-sink §5.4. */
import { randomUUID } from 'node:crypto';
import type { Http, HttpResponse, HttpRequest } from './http';
import type { Login } from './login';
import { ServiceError } from './service-error';
import { KEY } from '../config/definitions';

export interface ReplyTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

export class Cluster {
  constructor(
    private readonly http: Http,
    private readonly login: Login,
    readonly ingestionUrl: string,
    readonly queryUrl: string,
  ) {}

  /** A management command to the ingestion endpoint. */
  async ingestionCommand(text: string, signal: AbortSignal): Promise<ReplyTable> {
    return await this.post(`${this.ingestionUrl}/v1/rest/mgmt`, 'NetDefaultDB', text, {}, signal);
  }

  async command(database: string, text: string, signal: AbortSignal): Promise<ReplyTable> {
    return await this.post(`${this.queryUrl}/v1/rest/mgmt`, database, text, {}, signal);
  }

  async query(database: string, text: string, options: object, signal: AbortSignal): Promise<ReplyTable> {
    return await this.post(`${this.queryUrl}/v1/rest/query`, database, text, options, signal);
  }

  /** Retries once with a new token when the first is rejected. @throws ServiceError for any status but 2xx. */
  async require(request: HttpRequest): Promise<HttpResponse> {
    const attempt = async (): Promise<HttpResponse> =>
      await this.http.require({
        ...request,
        setting: this.settingOf(request.url),
        headers: {
          Accept: 'application/json',
          'x-ms-client-request-id': `Millrace;${randomUUID()}`,
          ...request.headers,
          ...(await this.login.headers(request.signal)),
        },
      });
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== 'refresh') throw error;
      this.login.forget();
      return await attempt();
    }
  }

  private async post(url: string, db: string, csl: string, options: object, signal: AbortSignal): Promise<ReplyTable> {
    const { text } = await this.require({
      method: 'POST',
      url,
      headers: { 'Content-Type': 'application/json; charset=utf-8' },
      body: JSON.stringify({ db, csl, properties: { Options: options } }),
      signal,
    });
    return firstTable(url, text, this.settingOf(url));
  }

  private settingOf(url: string): string {
    return url.startsWith(`${this.ingestionUrl}/`) ? KEY.ingestionUrl : KEY.queryUrl;
  }
}

function firstTable(url: string, text: string, setting: string): ReplyTable {
  try {
    const [table] = (JSON.parse(text) as { Tables: { Columns: { ColumnName: string }[]; Rows: unknown[][] }[] }).Tables;
    if (table) return { columns: table.Columns.map(({ ColumnName }) => ColumnName), rows: table.Rows };
  } catch {
    // Reported below.
  }
  throw new ServiceError(`${url} returns an unexpected response. Check "${setting}".`, 'permanent');
}
