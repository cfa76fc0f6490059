/** Everything about one connector, for the console. */
import { deadLetterTopics } from '../../config/dead-letter-topics';
import type { Herder } from '../../cluster/herder';
import { ConnectorPlugins } from '../../cluster/running/connector-plugins';
import { encodeSegment } from '../requests/request-path';
import type { ConnectorDetails, Panel } from '@millrace/console';
import type { ConnectorConsole } from '@millrace/sdk';
import { showChange, type ShowChange } from './changes-routes';
import { REPORT_PATH } from './group-reports';
import type { ConsoleSources } from './overview';
import { panelsOf, publishedSeries, readSeries, type Series } from './panels';
import { STEP_MS } from './rate-history';
import { connectorRow, groupOf } from './rows';

export class DetailsComputation {
  private readonly show: ShowChange;

  constructor(private readonly parts: ConsoleSources) {
    this.show = showChange(parts.context);
  }

  /** Rejects with HerderError 404 for an unknown connector. */
  async of(name: string, authorization: string | null): Promise<ConnectorDetails> {
    const { context, reports, failures, history } = this.parts;
    const herder = context.herder();
    const plugin = new ConnectorPlugins(context.registry).describe(herder.reads.record(name).config);
    const declared = plugin?.console ?? {};
    const report = await reports.read(authorization);
    const panels = await this.panels(herder, name, declared, authorization);
    // It may have changed meanwhile.
    const record = herder.reads.record(name);
    const at = Date.now();
    const all = await failures.all(record);
    const row = connectorRow(record, groupOf(report), all[0] ? { ...all[0], trace: '' } : null);
    history.add(at, name, row.rate);
    const restart = herder.reads.lastRestart(name);
    return {
      ...{ at, row, failures: all, panels, effects: declared.effects ?? {} },
      config: await context.secrets.shownToAll(record.config, record.config['connector.class']),
      lastRestart: restart && (await this.show(restart)),
      topics: context.tracksTopics ? herder.topics.list(name) : null,
      deadLetterTopic: deadLetterTopics(record.config, plugin?.deadLetters)[0]?.topic ?? null,
      history: history.of(name),
      historyStepMs: STEP_MS,
    };
  }

  /** From the workers that run its tasks. */
  private async panels(
    herder: Herder,
    name: string,
    declared: ConnectorConsole,
    authorization: string | null,
  ): Promise<readonly Panel[]> {
    if (declared.panels === undefined) return [];
    const tasks = herder.reads.record(name).status?.tasks ?? [];
    const workers = [...new Set(tasks.map(({ worker_id: worker }) => worker))];
    const path = `${REPORT_PATH}/${encodeSegment(name)}`;
    const series = await Promise.all(
      workers.map(async (worker): Promise<readonly Series[]> =>
        worker === herder.workerId
          ? publishedSeries(herder.figures(), name, declared, Date.now())
          : readSeries(await this.parts.reports.ask(worker, path, authorization)),
      ),
    );
    return panelsOf(declared, series.flat());
  }
}
