/** Everything about one connector, for the console. */
import { deadLetterTopics } from '../../config/dead-letter-topics';
import type { Herder } from '../../cluster/herder';
import { ConnectorPlugins } from '../../cluster/running/connector-plugins';
import { explanationOf } from '../../logging/error-page';
import { encodeSegment } from '../requests/request-path';
import type { ConnectorDetails, Panel } from '@millrace/console';
import type { ConnectorConsole } from '@millrace/sdk';
import { showChange, type ShowChange } from '../routes/changes';
import { REPORT_PATH } from '../reports/group-reports';
import type { ConsoleContext } from './console-context';
import { panelsOf, publishedSeries, readSeries, type Series } from './panels';
import { MOST_REASONS, withoutTrace } from '../health/failures';

function explanationsOf(codes: readonly string[]): ConnectorDetails['explanations'] {
  return Object.fromEntries(
    [...new Set(codes)].flatMap((code) => {
      const { happened, cure } = explanationOf(code) ?? {};
      return happened === undefined || cure === undefined ? [] : [[code, { happened, cure }]];
    }),
  );
}

export class DetailsComputation {
  private readonly show: ShowChange;

  constructor(private readonly context: ConsoleContext) {
    this.show = showChange(this.context);
  }

  /** Rejects with HerderError 404 for an unknown connector. */
  async of(name: string, authorization: string | null): Promise<ConnectorDetails> {
    const { context } = this;
    const { health } = context;
    const herder = context.herder();
    const plugin = new ConnectorPlugins(context.registry).describe(herder.reads.record(name).config);
    const declared = plugin?.console ?? {};
    const group = await health.group(authorization);
    const panels = await this.panels(herder, name, declared, authorization);
    // It may have changed meanwhile.
    const record = herder.reads.record(name);
    const at = Date.now();
    const all = await health.failures.all(record);
    const row = await health.row(record, group, all.slice(0, MOST_REASONS).map(withoutTrace));
    const runtime = health.runtime(record, row, group);
    const restart = herder.reads.lastRestart(name);
    return {
      ...{ at, row, ...runtime, failures: all, panels, effects: declared.effects ?? {} },
      config: await context.secrets.shownToAll(record.config, record.config['connector.class']),
      explanations: explanationsOf([...all, ...row.reasons].flatMap(({ code }) => code ?? [])),
      lastRestart: restart && (await this.show(restart)),
      topics: context.tracksTopics ? herder.topics.list(name) : null,
      recordTopics: herder.records.topics(name),
      deadLetterTopic: deadLetterTopics(record.config, plugin?.deadLetters)[0]?.topic ?? null,
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
          : readSeries(await this.context.health.reports.ask(worker, path, authorization)),
      ),
    );
    return panelsOf(declared, series.flat());
  }
}
