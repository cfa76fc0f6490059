/** Creates the clients of the service from the settings. */
import { setMaxListeners } from 'node:events';
import type { AnalyticsSettings } from '../config/settings';
import { Cluster } from './cluster';
import { Http } from './http';
import { IngestionResources } from './ingestion-resources';
import { Login } from './login';

export interface Service {
  readonly http: Http;
  readonly cluster: Cluster;
  readonly resources: IngestionResources;
  close(): void;
}

export function createService(settings: AnalyticsSettings): Service {
  const http = new Http({ proxy: settings.proxy });
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const login = new Login(http, settings.login, settings.ingestionUrl, closing.signal);
  const cluster = new Cluster(http, login, settings.ingestionUrl, settings.queryUrl);
  return {
    http,
    cluster,
    resources: new IngestionResources(cluster, closing.signal),
    close: () => {
      closing.abort(new Error('the task is stopping'));
      http.close();
    },
  };
}
