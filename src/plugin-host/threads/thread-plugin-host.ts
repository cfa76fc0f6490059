/** Runs plugin code in threads that can be terminated. See docs/decisions/0002. */
import {
  type ConnectorConfig,
  type DiagnosisContext,
  type Finding,
  type OffsetChange,
  settledWithin,
} from '@millrace/sdk';
import type { ConfigResolver } from '../../config/providers/config-resolver';
import type { JsonSchema } from '../../config/schema/key-schema';
import type { Checks, ConfigDefinitionInfo, ConfigInfos, ConfigValidator } from '../../config/validation/config-infos';
import { valueOf, type NullableConfig } from '../../config/validation/entry';
import type { LogLevels } from '../../logging/log-levels';
import type { Logger } from '../../logging/logger';
import type { PluginDescription } from '../../plugins/registry';
import type { RecordBytes, RecordTexts } from '../../records/record-texts';
import { writeLine } from '../../threads/thread-logger';
import { CallPool } from './call-pool';
import { replyTo } from '../protocol/calls';
import type {
  ConnectorTraits,
  HostedConnector,
  HostedInstance,
  InstanceEvents,
  PluginHost,
  SinkOffsetPairs,
  SourceOffsetPairs,
} from '../host';
import { InstanceThreads } from './instance-threads';
import type { CallRequest, WorkerCalls } from '../protocol/messages';
import { PluginThread, type PluginThreadOptions } from './plugin-thread-handle';

/** An unused thread is terminated after this time: it takes 13 MiB, and another one starts in less than 0.1 s. */
const IDLE_MS = 2_000;
/** For calls. A few suffice, because blocked threads are terminated. */
const MAX_CALL_THREADS = 4;
/** Longest wait for threads to exit on close, which native code delays. */
const END_MS = 5_000;
/** Longer than the limits of a plugin's `validate` and of a REST request. */
const CALL_MS = 120_000;

export interface ThreadPluginHostOptions {
  readonly data: PluginThreadOptions['data'];
  readonly module: string;
  /** `plugin.thread.silence.ms`. */
  readonly silenceMs: number;
  readonly resolver?: Pick<ConfigResolver, 'resolve'>;
  readonly logger: Logger;
  readonly levels: LogLevels;
  /** (Default: 2 s) */
  readonly idleMs?: number;
  /** (Default: 2 minutes) */
  readonly callMs?: number;
}

export class ThreadPluginHost implements PluginHost, ConfigValidator {
  private readonly pool: CallPool;
  private readonly instances: InstanceThreads;
  private readonly threads = new Set<PluginThread>();
  private readonly traitsOf = new Map<string, Promise<ConnectorTraits>>();
  private readonly forgetLevels: () => void;
  private threadNumbers = 0;

  constructor(private readonly options: ThreadPluginHostOptions) {
    const { idleMs = IDLE_MS, callMs = CALL_MS, levels, logger } = options;
    this.pool = new CallPool({
      createThread: (events) => this.createThread('validation', events),
      maxThreads: MAX_CALL_THREADS,
      idleMs,
      callMs,
    });
    this.instances = new InstanceThreads({
      createThread: (events) => this.createThread('connectors', events),
      idleMs,
      onRestart: (connectors, end) =>
        logger.warn(
          `Restarting connectors ${connectors.join(', ')} in another plugin thread, because their shared thread ended`,
          {
            reason: end.end.kind,
          },
        ),
    });
    this.forgetLevels = levels.onChange((namespace, level) => {
      for (const thread of this.threads) thread.post({ type: 'log-level', namespace, level });
    });
  }

  async validate(config: NullableConfig, checks: Checks = 'all', withHints = false): Promise<ConfigInfos> {
    const name = valueOf(config, 'connector.class') ?? '';
    return await this.pool.call(
      { key: name, what: `the validation of a configuration of ${name}` },
      'validate',
      config,
      checks,
      withHints,
    );
  }

  async definitions(
    plugin: string,
    version?: string | null,
    withHints = false,
  ): Promise<readonly ConfigDefinitionInfo[]> {
    const what = `the import of ${plugin}`;
    return await this.pool.call({ key: plugin, what }, 'definitions', plugin, version ?? null, withHints);
  }

  async schema(plugin: string, version?: string | null): Promise<JsonSchema> {
    return await this.pool.call({ key: plugin, what: `the import of ${plugin}` }, 'schema', plugin, version ?? null);
  }

  async traits(description: PluginDescription): Promise<ConnectorTraits> {
    // A jar may have the class and the version of a native plugin.
    const key = JSON.stringify([description.type, description.class, description.version, description.location]);
    let traits = this.traitsOf.get(key);
    if (!traits) {
      const subject = { key: description.class, what: `the import of ${description.class} in ${description.location}` };
      traits = this.pool.call(subject, 'traits', description);
      this.traitsOf.set(key, traits);
      // The next call imports again: what was missing may have been installed meanwhile.
      const own = traits;
      own.catch(() => {
        if (this.traitsOf.get(key) === own) this.traitsOf.delete(key);
      });
    }
    return await traits;
  }

  async create(connector: HostedConnector, events: InstanceEvents): Promise<HostedInstance> {
    return await this.instances.create(connector, events);
  }

  async alterOffsets(
    description: PluginDescription,
    config: ConnectorConfig,
    offsets: SourceOffsetPairs | SinkOffsetPairs,
    change: OffsetChange,
  ): Promise<boolean> {
    const subject = { key: description.class, what: `the call of alterOffsets() in ${description.class}` };
    return await this.pool.call(subject, 'alterOffsets', description, config, offsets, change);
  }

  async diagnose(
    description: PluginDescription,
    config: ConnectorConfig,
    context: DiagnosisContext,
  ): Promise<readonly Finding[] | null> {
    const subject = { key: description.class, what: `the call of diagnose() in ${description.class}` };
    return await this.pool.call(subject, 'diagnose', description, config, context);
  }

  async recordTexts(config: ConnectorConfig, records: readonly RecordBytes[]): Promise<readonly RecordTexts[]> {
    const name = config['connector.class'] ?? '';
    const subject = { key: `converters of ${name}`, what: `the conversion of records of a connector of ${name}` };
    return await this.pool.call(subject, 'recordTexts', config, records);
  }

  retireThreads(): void {
    this.traitsOf.clear();
    this.pool.retireThreads();
    this.instances.retireThreads();
  }

  async close(): Promise<void> {
    this.forgetLevels();
    await settledWithin(Promise.all([this.pool.close(), this.instances.close()]), END_MS, undefined);
  }

  private createThread(kind: string, events: Pick<PluginThreadOptions, 'onEnd' | 'onProgress'>): PluginThread {
    const { module, data, levels, silenceMs, logger } = this.options;
    const thread = new PluginThread({
      module,
      name: `${kind}-${++this.threadNumbers}`,
      data,
      levels,
      silenceMs,
      ...events,
      onEnd: (ended, end) => {
        logger.warn(`Plugin thread ${ended.options.name} ended unexpectedly`, {
          reason: end.end.kind,
          ...(end.step !== '' && { step: end.step }),
        });
        events.onEnd(ended, end);
      },
      onMessage: (from, message) => {
        if (message.type === 'log') writeLine(logger, message);
        else if (message.type === 'call')
          void replyTo(
            message,
            () => this.runWorkerCall(message),
            (reply) => from.post(reply),
          );
        else this.instances.onMessage(message);
      },
    });
    // Drops threads that were terminated because they were unused.
    for (const other of this.threads) if (other.gone) this.threads.delete(other);
    this.threads.add(thread);
    return thread;
  }

  private async runWorkerCall({ name, args }: CallRequest): Promise<unknown> {
    if (name === 'readOffsets')
      return await this.instances.readOffsets(...(args as Parameters<WorkerCalls['readOffsets']>));
    const [config] = args as Parameters<WorkerCalls['resolve']>;
    return (await this.options.resolver?.resolve(config)) ?? config;
  }
}
