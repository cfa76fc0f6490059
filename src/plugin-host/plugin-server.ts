/** Runs the worker's calls inside a plugin thread. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Connector, ConnectorInstance } from '@millrace/sdk';
import type { ConfigResolver } from '../config/providers/config-resolver';
import { hideInError, hiderOf, type HideResolved } from '../config/providers/hide-resolved';
import type { ConfigValidator } from '../config/validation/config-infos';
import type { NullableConfig } from '../config/validation/entry';
import { onValidationStep } from '../config/validation/validation-step';
import type { Logger } from '../logging/logger';
import type { PluginDescription, PluginRegistry } from '../plugins/registry';
import { replyTo, OpenCalls } from './protocol/calls';
import { alterOffsets, createInstance, diagnose } from './connector-calls';
import { traitsOf } from './connector-traits';
import { copyError } from './protocol/error-copy';
import type { InstanceEvents, ReadRecords } from './host';
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
  /** The resolver calls the worker. */
  readonly validator: (resolver: Pick<ConfigResolver, 'resolve'>) => ConfigValidator;
  readonly recordTexts: ReadRecords;
  readonly logger: Logger;
  readonly currentStep: CurrentStep;
  readonly post: (message: FromPluginThread) => void;
}

interface CreatedInstance {
  readonly connector: string;
  readonly instance: ConnectorInstance;
}

/** The call and the connector instance that code runs for. 0: none. */
interface Work {
  readonly call: number;
  readonly owner: number;
  /** Hides the values that config providers have for the config that the call validates. */
  hide?: HideResolved;
}

const RELEASED = 'The connector has been released.';

type Calls = { readonly [N in keyof PluginCalls]: (...args: Parameters<PluginCalls[N]>) => unknown };

export class PluginServer {
  private readonly workerCalls: OpenCalls;
  private readonly instances = new Map<number, CreatedInstance>();
  /** Instances whose plugin is being imported; true: they are released already. */
  private readonly creating = new Map<number, boolean>();
  private readonly calls: Calls;
  /** Tracks, through asynchronous plugin code, which call and instance it runs for. */
  private readonly current = new AsyncLocalStorage<Work>();

  constructor(private readonly options: PluginServerOptions) {
    this.workerCalls = new OpenCalls(options.post);
    const resolve = async (config: NullableConfig): Promise<NullableConfig> => {
      const { work } = this;
      const resolved = await this.callWorker('resolve', config);
      work.hide = hiderOf(config, resolved);
      return resolved;
    };
    const validator = options.validator({ resolve } as Pick<ConfigResolver, 'resolve'>);
    onValidationStep((step) => options.currentStep.write(this.work.hide?.(step) ?? step, this.work));
    this.calls = {
      validate: (config, checks, withHints) => validator.validate(config, checks, withHints),
      definitions: (plugin, version, withHints) => validator.definitions(plugin, version, withHints),
      schema: (plugin, version) => validator.schema(plugin, version),
      traits: async (description) => traitsOf(await this.load(description)),
      alterOffsets: async (description, config, offsets, change) => {
        const plugin = await this.load(description);
        options.currentStep.write(`the call of alterOffsets() in ${description.class}`, this.work);
        return await alterOffsets(plugin, config, offsets as never, change);
      },
      diagnose: async (description, config, context) => {
        const plugin = await this.load(description);
        options.currentStep.write(`the call of diagnose() in ${description.class}`, this.work);
        return await diagnose(plugin, config, context);
      },
      recordTexts: async (config, records) => {
        options.currentStep.write('the conversion of records', this.work);
        return await options.recordTexts(config, records);
      },
      create: (spec) => this.create(spec),
      start: (instance) => this.callOf(instance, 'start', (created) => created.start?.()),
      taskConfigs: (instance, max) => this.callOf(instance, 'taskConfigs', (created) => created.taskConfigs(max)),
      stop: (instance) => this.callOf(instance, 'stop', (created) => created.stop?.()),
    };
  }

  handle(message: Exclude<ToPluginThread, { type: 'log-level' | 'hide' | 'beat' }>): void {
    if (message.type === 'call') void this.run(message);
    else if (message.type === 'release') this.release(message.instance);
    else this.workerCalls.onReply(message);
  }

  /** Reports an uncaught error. The thread must exit afterwards, because its state is unknown. */
  onCrash(error: unknown): void {
    const { call, owner, hide } = this.work;
    const shown = hide ? hideInError(error, hide) : error;
    this.options.post({ type: 'crash', call, owner, error: copyError(shown) });
  }

  private get work(): Work {
    return this.current.getStore() ?? { call: 0, owner: 0 };
  }

  private async run(message: CallRequest): Promise<void> {
    const { currentStep, post } = this.options;
    const { call, name, args } = message;
    post({ type: 'begun', call });
    const run = this.calls[name as keyof PluginCalls] as (...args: readonly unknown[]) => unknown;
    const runAndClear = async (): Promise<unknown> => {
      try {
        return await run(...args);
      } finally {
        currentStep.clear(call);
      }
    };
    await this.current.run({ call, owner: 0 }, () => replyTo(message, runAndClear, post));
  }

  private async load(description: PluginDescription): Promise<Connector> {
    const { currentStep, registry } = this.options;
    const { work } = this;
    currentStep.write(`the import of ${description.class} in ${description.location}`, work);
    try {
      return (await registry.load(description)) as Connector;
    } finally {
      currentStep.clear(work.call);
    }
  }

  private async create(spec: InstanceSpec): Promise<void> {
    const { instance, connector, description } = spec;
    const plugin = await this.loadFor(instance, description);
    const created = this.runStep(instance, `the call of create() in connector ${connector}`, () =>
      createInstance(plugin, spec, this.events(spec)),
    );
    this.instances.set(instance, { connector, instance: created });
  }

  private async loadFor(instance: number, description: PluginDescription): Promise<Connector> {
    this.creating.set(instance, false);
    try {
      const plugin = await this.load(description);
      if (this.creating.get(instance) === true) throw new Error(RELEASED);
      return plugin;
    } finally {
      this.creating.delete(instance);
    }
  }

  private release(instance: number): void {
    if (this.creating.has(instance)) this.creating.set(instance, true);
    const created = this.instances.get(instance);
    this.instances.delete(instance);
    if (created)
      this.runStep(instance, `the call of release() in connector ${created.connector}`, () =>
        created.instance.release?.(),
      );
  }

  private callOf<T>(instance: number, name: string, call: (created: ConnectorInstance) => T): T {
    const created = this.instances.get(instance);
    if (!created) throw new Error(RELEASED);
    return this.runStep(instance, `the call of ${name}() in connector ${created.connector}`, () =>
      call(created.instance),
    );
  }

  /** Records the step while the call runs synchronously: only then can the plugin block the thread. */
  private runStep<T>(instance: number, step: string, call: () => T): T {
    const { currentStep } = this.options;
    const work = { call: this.work.call, owner: instance };
    currentStep.write(step, work);
    try {
      return this.current.run(work, call);
    } finally {
      currentStep.clear(work.call);
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
    return (await this.workerCalls.send(name, args).answer) as ReturnType<WorkerCalls[N]>;
  }
}
