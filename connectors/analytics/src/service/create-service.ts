/** Everything that speaks to the service, from the settings. */
import { setMaxListeners } from 'node:events';
import type { SealedFile } from '../batcher/staging-file';
import type { AnalyticsSettings } from '../config/settings';
import { ConfirmedTarget } from '../request/confirmed-target';
import { QueuedTarget } from '../request/queued-target';
import { StreamingTarget } from '../request/streaming-target';
import type { Target } from '../request/target';
import { Cluster } from './cluster';
import { Http } from './http';
import { IngestionResources } from './ingestion-resources';
import { Login } from './login';

export interface Service {
  readonly cluster: Cluster;
  readonly resources: IngestionResources;
  readonly targetOf: (file: SealedFile) => Target;
  close(): void;
}

export function createService(settings: AnalyticsSettings): Service {
  const http = new Http({ proxy: settings.proxy });
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const login = new Login(http, settings.login, settings.ingestionUrl, closing.signal);
  const cluster = new Cluster(http, login, settings.ingestionUrl, settings.queryUrl);
  const resources = new IngestionResources(cluster, closing.signal);
  const queued = new QueuedTarget(http, resources, settings);
  const byQueue = settings.confirm === 'ingested' ? new ConfirmedTarget(cluster, resources, queued, settings) : queued;
  const streaming = new StreamingTarget(cluster, byQueue);
  return {
    cluster,
    resources,
    targetOf: ({ mapping }) => (mapping.streaming ? streaming : byQueue),
    close: () => {
      closing.abort(new Error('the task stops'));
      http.close();
    },
  };
}
