/** The inside of a plugin thread: runs what the worker asks for. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Connector, ConnectorInstance } from '@millrace/sdk';
import type { ConfigResolver } from '../config/providers/config-resolver';
import type { ConfigValidator } from '../config/validation/config-infos';
import type { NullableConfig } from '../config/validation/entry';
import { onValidationStep } from '../config/validation/validation-step';
import type { Logger } from '../logging/logger';
import type { PluginDescription, PluginRegistry } from '../plugins/registry';
import { answer, OpenCalls } from './protocol/calls';
import { alterOffsets, createInstance } from './connector-calls';
import { traitsOf } from './connector-traits';
import { copyError } from './protocol/error-copy';
import type { InstanceEvents } from './host';
import type {
  CallRequest,
  FromPluginThread,
  InstanceSpec,
  PluginCalls,
  ToPluginThread,
  WorkerCalls,
} from './protocol/messages';
import type { CurrentStep } from './protocol/current-step';

export interface PluginServerOptions {
  readonly registry: PluginRegistry;
  /** The resolver asks the worker. */
  readonly validator: (resolver: Pick<ConfigResolver, 'resolve'>) => ConfigValidator;
  readonly logger: Logger;
  readonly note: CurrentStep;
  readonly post: (message: FromPluginThread) => void;
}

interface Made {
  readonly connector: string;
  readonly instance: ConnectorInstance;
}

/** What the thread does something for. 0: none. */
interface Work {
  readonly call: number;
  readonly owner: number;
}

type Calls = { readonly [N in keyof PluginCalls]: (...args: Parameters<PluginCalls[N]>) => unknown };

export class PluginServer {
  private readonly questions: OpenCalls;
  private readonly instances = new Map<number, Made>();
  private readonly calls: Calls;
  /** Knows, anywhere in asynchronous code of a plugin, whose it is. */
  private readonly current = new AsyncLocalStorage<Work>();

  constructor(private readonly options: PluginServerOptions) {
    this.questions = new OpenCalls(options.post);
    const resolve = async (config: NullableConfig): Promise<NullableConfig> => await this.callWorker('resolve', config);
    const validator = options.validator({ resolve } as Pick<ConfigResolver, 'resolve'>);
    onValidationStep((step) => options.note.write(step, this.work));
    this.calls = {
      validate: (config) => validator.validate(config),
      definitions: (plugin, version) => validator.definitions(plugin, version),
      traits: async (description) => traitsOf(await this.load(description)),
      alterOffsets: async (description, config, offsets) => {
        const plugin = await this.load(description);
        options.note.write(`the call of alterOffsets() in ${description.class}`, this.work);
        return await alterOffsets(plugin, config, offsets as never);
      },
      create: (spec) => this.create(spec),
      start: (instance) => this.callOf(instance, 'start', (made) => made.start?.()),
      taskConfigs: (instance, max) => this.callOf(instance, 'taskConfigs', (made) => made.taskConfigs(max)),
      stop: (instance) => this.callOf(instance, 'stop', (made) => made.stop?.()),
    };
  }

  handle(message: Exclude<ToPluginThread, { type: 'log-level' | 'hide' }>): void {
    if (message.type === 'call') void this.run(message);
    else if (message.type === 'release') this.instances.delete(message.instance);
    else this.questions.answered(message);
  }

  /** For an error that nobody caught. The thread has to end after it: its state is unknown. */
  crashed(error: unknown): void {
    this.options.post({ type: 'crash', ...this.work, error: copyError(error) });
  }

  private get work(): Work {
    return this.current.getStore() ?? { call: 0, owner: 0 };
  }

  private async run(message: CallRequest): Promise<void> {
    const { note, post } = this.options;
    const { call, name, args } = message;
    post({ type: 'begun', call });
    const run = this.calls[name as keyof PluginCalls] as (...args: readonly unknown[]) => unknown;
    const noting = async (): Promise<unknown> => {
      try {
        return await run(...args);
      } finally {
        note.clear(call);
      }
    };
    await this.current.run({ call, owner: 0 }, () => answer(message, noting, post));
  }

  private async load(description: PluginDescription): Promise<Connector> {
    const { note, registry } = this.options;
    const { work } = this;
    note.write(`the import of ${description.class} in ${description.location}`, work);
    try {
      return (await registry.load(description)) as Connector;
    } finally {
      note.clear(work.call);
    }
  }

  private async create(spec: InstanceSpec): Promise<void> {
    const { instance, connector, description } = spec;
    const plugin = await this.load(description);
    const made = this.noting(instance, `the call of create() in connector ${connector}`, () =>
      createInstance(plugin, spec, this.events(spec)),
    );
    this.instances.set(instance, { connector, instance: made });
  }

  private callOf<T>(instance: number, name: string, call: (made: ConnectorInstance) => T): T {
    const made = this.instances.get(instance);
    if (!made) throw new Error('The connector has been released.');
    return this.noting(instance, `the call of ${name}() in connector ${made.connector}`, () => call(made.instance));
  }

  /** The note stands for as long as the plugin has the thread, which is until it waits for something. */
  private noting<T>(instance: number, step: string, call: () => T): T {
    const { note } = this.options;
    const work = { call: this.work.call, owner: instance };
    note.write(step, work);
    try {
      return this.current.run(work, call);
    } finally {
      note.clear(work.call);
    }
  }

  private events({ instance, connector }: InstanceSpec): InstanceEvents {
    const { logger, post } = this.options;
    const read: InstanceEvents['offsets']['offsets'] = async (partitions) => [
      ...(await this.callWorker('readOffsets', instance, partitions)),
    ];
    return {
      logger: logger.child({ connector }),
      requestTaskReconfiguration: () => post({ type: 'reconfigure', instance }),
      raiseError: (error) => post({ type: 'raise', instance, error: copyError(error) }),
      offsets: { offsets: read, offset: async (partition) => (await read([partition]))[0] ?? null },
    };
  }

  private async callWorker<N extends keyof WorkerCalls>(
    name: N,
    ...args: Parameters<WorkerCalls[N]>
  ): Promise<ReturnType<WorkerCalls[N]>> {
    return (await this.questions.ask(name, args).answer) as ReturnType<WorkerCalls[N]>;
  }
}
