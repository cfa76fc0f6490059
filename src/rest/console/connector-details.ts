/** Everything about one connector, for the console. */
import { deadLetterTopics } from '../../config/dead-letter-topics';
import type { Herder } from '../../cluster/herder';
import { encodeSegment } from '../requests/request-path';
import type { ConnectorDetails, PostgresDetails } from '@millrace/console';
import { showChange, type ShowChange } from './changes-routes';
import { REPORT_PATH } from './group-reports';
import type { ConsoleParts } from './overview';
import { postgresDetails } from './postgres-details';
import { publishedSeries, readSeries, type Series } from './published';
import { STEP_MS } from './rate-history';
import { connectorRow, groupOf } from './rows';

export class DetailsComputation {
  private readonly show: ShowChange;

  constructor(private readonly parts: ConsoleParts) {
    this.show = showChange(parts.context);
  }

  /** Rejects with HerderError 404 for an unknown connector. */
  async of(name: string, authorization: string | null): Promise<ConnectorDetails> {
    const { context, reports, failures, history } = this.parts;
    const herder = context.herder();
    const { type } = herder.connectorRecord(name);
    const report = await reports.read(authorization);
    const postgres = type === 'source' ? await this.postgres(herder, name, authorization) : null;
    // It may have changed meanwhile.
    const record = herder.connectorRecord(name);
    const at = Date.now();
    const all = await failures.all(record);
    const row = connectorRow(record, groupOf(report), all[0] ? { ...all[0], trace: '' } : null);
    history.add(at, name, row.rate);
    const restart = herder.lastRestart(name);
    return {
      ...{ at, row, failures: all, postgres },
      config: await context.secrets.shownToAll(record.config, record.config['connector.class']),
      lastRestart: restart && (await this.show(restart)),
      topics: context.tracksTopics ? herder.activeTopics(name) : null,
      deadLetterTopic: deadLetterTopics(record.config)[0] ?? null,
      history: history.of(name),
      historyStepMs: STEP_MS,
    };
  }

  /** From the workers that run its tasks. */
  private async postgres(herder: Herder, name: string, authorization: string | null): Promise<PostgresDetails | null> {
    const tasks = herder.connectorRecord(name).status?.tasks ?? [];
    const workers = [...new Set(tasks.map(({ worker_id: worker }) => worker))];
    const path = `${REPORT_PATH}/${encodeSegment(name)}`;
    const series = await Promise.all(
      workers.map(async (worker): Promise<readonly Series[]> =>
        worker === herder.workerId
          ? publishedSeries(herder.figures(), name, Date.now())
          : readSeries(await this.parts.reports.ask(worker, path, authorization)),
      ),
    );
    return postgresDetails(series.flat());
  }
}
