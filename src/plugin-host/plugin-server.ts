/** The inside of a plug-in thread: runs what the worker asks for. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Connector, ConnectorInstance, SourceConnectorContext } from '@millrace/sdk';
import type { ConfigResolver } from '../config/providers/config-resolver';
import type { ConfigValidator } from '../config/validation';
import type { NullableConfig } from '../config/validation-entry';
import { onValidationStep } from '../config/validation-step';
import type { Logger } from '../logging/logger';
import type { PluginDescription, PluginRegistry } from '../plugins/registry';
import { answer, OpenCalls } from './calls';
import { traitsOf } from './connector-traits';
import { copyError } from './error-copy';
import type { Ask, FromPluginThread, InstanceSpec, PluginCalls, ToPluginThread, WorkerCalls } from './messages';
import type { StepNote } from './step-note';

export interface PluginServerOptions {
  readonly registry: PluginRegistry;
  /** The resolver asks the worker. */
  readonly validator: (resolver: Pick<ConfigResolver, 'resolve'>) => ConfigValidator;
  readonly logger: Logger;
  readonly note: StepNote;
  readonly post: (message: FromPluginThread) => void;
}

interface Made {
  readonly connector: string;
  readonly instance: ConnectorInstance;
}

type Calls = { readonly [N in keyof PluginCalls]: (...args: Parameters<PluginCalls[N]>) => unknown };

export class PluginServer {
  private readonly questions: OpenCalls;
  private readonly instances = new Map<number, Made>();
  private readonly calls: Calls;
  /** Knows, anywhere in an instance's asynchronous calls, whose they are. */
  private readonly owner = new AsyncLocalStorage<number>();

  constructor(private readonly options: PluginServerOptions) {
    this.questions = new OpenCalls(options.post);
    const resolve = async (config: NullableConfig): Promise<NullableConfig> => await this.askWorker('resolve', config);
    const validator = options.validator({ resolve } as Pick<ConfigResolver, 'resolve'>);
    onValidationStep((step) => options.note.write(step));
    this.calls = {
      validate: (config) => validator.validate(config),
      definitions: (plugin, version) => validator.definitions(plugin, version),
      traits: async (description) => traitsOf(await this.load(description)),
      alterOffsets: async (description, config, offsets) => {
        const plugin = await this.load(description);
        options.note.write(`the call of alterOffsets() in ${description.class}`);
        return (await plugin.alterOffsets?.(config, offsets as never)) === true;
      },
      create: (spec) => this.create(spec),
      start: (instance) => this.callOf(instance, 'start', (made) => made.start?.()),
      taskConfigs: (instance, max) => this.callOf(instance, 'taskConfigs', (made) => made.taskConfigs(max)),
      stop: (instance) => this.callOf(instance, 'stop', (made) => made.stop?.()),
    };
  }

  handle(message: Exclude<ToPluginThread, { type: 'log-level' | 'hide' }>): void {
    if (message.type === 'ask') void this.run(message);
    else if (message.type === 'release') this.instances.delete(message.instance);
    else this.questions.answered(message);
  }

  /** For an error that nobody caught. The thread has to end after it: its state is unknown. */
  crashed(error: unknown): void {
    this.options.post({ type: 'crash', owner: this.owner.getStore() ?? 0, error: copyError(error) });
  }

  private async run(message: Ask): Promise<void> {
    this.options.post({ type: 'begun', call: message.call });
    const run = this.calls[message.name as keyof PluginCalls] as (...args: readonly unknown[]) => unknown;
    await answer(message, () => run(...message.args), this.options.post);
  }

  private async load(description: PluginDescription): Promise<Connector> {
    const { note, registry } = this.options;
    note.write(`the import of ${description.class} in ${description.location}`);
    const plugin = (await registry.load(description)) as Connector;
    note.clear();
    return plugin;
  }

  private async create(spec: InstanceSpec): Promise<void> {
    const { instance, connector, config, description } = spec;
    const plugin = await this.load(description);
    const make = plugin.create?.bind(plugin);
    if (!make) throw new Error(`${description.class} makes no instances.`);
    const made = this.noting(instance, `the call of create() in connector ${connector}`, () =>
      make(config, this.context(spec)),
    );
    this.instances.set(instance, { connector, instance: made });
  }

  private callOf<T>(instance: number, name: string, call: (made: ConnectorInstance) => T): T {
    const made = this.instances.get(instance);
    if (!made) throw new Error('The connector has been released.');
    return this.noting(instance, `the call of ${name}() in connector ${made.connector}`, () => call(made.instance));
  }

  /** The note stands for as long as the plug-in has the thread, which is until it waits for something. */
  private noting<T>(instance: number, step: string, call: () => T): T {
    const { note } = this.options;
    note.write(step, instance);
    try {
      return this.owner.run(instance, call);
    } finally {
      note.clear();
    }
  }

  private context({ instance, connector, workerSettings }: InstanceSpec): SourceConnectorContext {
    const { logger, post } = this.options;
    const read: SourceConnectorContext['offsets']['offsets'] = async (partitions) => [
      ...(await this.askWorker('readOffsets', instance, partitions)),
    ];
    return {
      connector,
      logger: logger.child({ connector }),
      workerSettings,
      requestTaskReconfiguration: () => post({ type: 'reconfigure', instance }),
      raiseError: (error) => post({ type: 'raise', instance, error: copyError(error) }),
      offsets: { offsets: read, offset: async (partition) => (await read([partition]))[0] ?? null },
    };
  }

  private async askWorker<N extends keyof WorkerCalls>(
    name: N,
    ...args: Parameters<WorkerCalls[N]>
  ): Promise<ReturnType<WorkerCalls[N]>> {
    return (await this.questions.ask(name, args).answer) as ReturnType<WorkerCalls[N]>;
  }
}
