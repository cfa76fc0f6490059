/** A sink task with its own folder, and the cleanup after each test, in reverse order. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analyticsSink } from '@millrace/connector-analytics';
import { SinkTaskHarness, type SinkHarnessOptions } from '@millrace/sdk/testing';
import { waitFor } from '../../helpers/wait-for';

export class SmallSink {
  folder!: string;
  private readonly ends: (() => Promise<void>)[] = [];

  /** Registers the hooks of the test file. */
  static forFile(): SmallSink {
    const sink = new SmallSink();
    beforeEach(async () => {
      sink.folder = await mkdtemp(join(tmpdir(), 'millrace-small-'));
    });
    afterEach(async () => {
      for (const end of sink.ends.splice(0).reverse()) await end();
      await rm(sink.folder, { recursive: true, force: true });
    });
    return sink;
  }

  atEnd(end: () => Promise<void>): void {
    this.ends.push(end);
  }

  async start(
    url: string,
    overrides: Record<string, string> = {},
    options: SinkHarnessOptions = {},
  ): Promise<SinkTaskHarness> {
    const config = {
      topics: 't',
      'analytics.url': url,
      'idp.auth.strategy': 'none',
      'analytics.tables.topics.mapping': `[{'topic':'*','db':'d','table':'T'}]`,
      'flush.size.bytes': '100',
      'tempdir.path': this.folder,
      'errors.retry.backoff.time.ms': '20',
      ...overrides,
    };
    const harness = await SinkTaskHarness.start(analyticsSink, config, options);
    this.atEnd(async () => await harness.stop());
    return harness;
  }

  /** Puts empty batches, as an idle worker does, until the offset is committed. */
  async committed(harness: SinkTaskHarness, offset: number): Promise<void> {
    await waitFor(
      `offset ${offset} to be committed`,
      async () => {
        await harness.put([]);
        await harness.commit();
        return harness.committed() === offset;
      },
      { detail: () => harness.logger.lines.join('\n') },
    );
  }
}
