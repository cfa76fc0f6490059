/**
 * Selects how files are delivered and confirmed, from the settings and the cluster's features. Sources: analytics-sink
 * §1.7, §5.8.
 */
import { ConnectError } from '@millrace/sdk';
import type { SealedFile } from '../batcher/staging-file';
import type { AnalyticsSettings } from '../config/settings';
import type { Service } from '../service/create-service';
import type { SinkMetrics } from '../sink-metrics';
import { retryWhileBusy, type RequestContext } from '../service/start-checks';
import { ConfirmedTarget } from './confirmed-target';
import { QueuedTarget } from './queued-target';
import { offersRestIngestion, RestIngestion } from './rest-ingestion';
import { StatusTableIngestion } from './status-table-ingestion';
import { StreamingTarget } from './streaming-target';
import type { Target } from './target';

/** @throws ConnectError `ANALYTICS_OFFER` for a feature that the cluster lacks; ServiceError when it is unreachable. */
export async function createTargets(
  { http, cluster, resources }: Service,
  settings: AnalyticsSettings,
  metrics: SinkMetrics,
  context: RequestContext,
): Promise<(file: SealedFile) => Target> {
  const { logger, signal } = context;
  const queued = new QueuedTarget(http, resources, settings);
  const rest = new RestIngestion(cluster, queued, settings);
  const isConfirmed = settings.confirm === 'ingested';
  const probe = async (): Promise<boolean> => await offersRestIngestion(cluster, signal);
  const hasRest =
    (isConfirmed || settings.protocol === 'rest') && (await retryWhileBusy(probe, settings.retry, context));
  if (settings.protocol === 'rest' && !hasRest)
    throw unavailable('queued ingestion by REST', '"analytics.ingest.protocol" to queue');
  let byQueue: Target = settings.protocol === 'rest' ? rest : queued;
  if (isConfirmed) {
    if (!hasRest && (await resources.get(signal)).statusTables.length === 0)
      throw unavailable(
        'the status of single files, by REST or in a status table',
        '"analytics.ingest.confirm" to queued',
      );
    const confirmation = hasRest ? rest : new StatusTableIngestion(http, resources, queued);
    logger.info(`The service reports the status of each file ${hasRest ? 'by its REST API' : 'in its status table'}`);
    byQueue = new ConfirmedTarget(confirmation, settings.confirmTimeoutMs, logger);
  }
  const streaming = new StreamingTarget({ cluster, queued: byQueue, metrics, logger });
  return ({ mapping }) => (mapping.streaming ? streaming : byQueue);
}

function unavailable(what: string, instead: string): ConnectError {
  return new ConnectError(`The cluster does not offer ${what}; set ${instead}.`, { code: 'ANALYTICS_OFFER' });
}
