import { ConfigError, ConnectError, isConnectError, messageOf, withDeadline } from '@millrace/sdk';
import type { OtherJavaPlugin } from '../java-plugin';
import type { HostSession, Jvms } from '../jvm/jvms';
import type { HostMap, HostValue } from '../wire/host-value';
import { JavaError } from '../wire/java-error';

/** Of one question, with the start of the JVM. Milliseconds. */
const LIMIT_MS = 60_000;
/** Java's numbers may be larger than a timer's. */
const MAX_TTL_MS = 1e12;
/** What has a shorter life would restart its connectors all the time. Milliseconds. */
const MIN_TTL_MS = 1_000;

export interface JavaConfigProviderOptions {
  /** Called for each session, because the first question starts the JVMs. */
  readonly jvms: () => Jvms;
  readonly settings: Readonly<Record<string, string>>;
  /** (Default: 60 s) */
  readonly limitMs?: number;
}

/** Values for keys of a path. */
export interface ProvidedValues {
  readonly values: ReadonlyMap<string, string>;
  /** Null: they do not expire. */
  readonly ttlMs: number | null;
}

interface Question {
  readonly path: string;
  readonly keys: readonly string[];
  isLate: boolean;
}

/**
 * A config provider of a jar. Its instance lives in the JVM until that ends or `close` is called; the next question
 * creates another one. No value is ever part of an error.
 */
export class JavaConfigProvider {
  private opening: Promise<HostSession> | null = null;
  private isClosed = false;

  constructor(
    private readonly plugin: OtherJavaPlugin,
    private readonly options: JavaConfigProviderOptions,
  ) {}

  /** Rejects with ConfigError `CONFIG_PROVIDER_FAILED`. */
  async get(path: string, keys: ReadonlySet<string>): Promise<ProvidedValues> {
    const { limitMs = LIMIT_MS } = this.options;
    const question: Question = { path, keys: [...keys], isLate: false };
    try {
      const answer = await withDeadline(this.ask(question), limitMs, () => {
        question.isLate = true;
        // Its thread hangs, and others would wait behind it.
        this.end();
        return new ConnectError(`it did not answer within ${limitMs / 1000} s`);
      });
      return provided(answer);
    } catch (error) {
      const { class: name, location } = this.plugin;
      throw new ConfigError(`The config provider ${name} of ${location} failed: ${sentence(error)}`, {
        code: 'CONFIG_PROVIDER_FAILED',
        cause: error,
        restartable: isConnectError(error) && (error.restartable || error.retriable),
      });
    } finally {
      // Its instance is another one, for what was being asked.
      if (this.isClosed) this.end();
    }
  }

  /** Ends the instance, and the provider. */
  close(): void {
    this.isClosed = true;
    this.end();
  }

  private end(): void {
    const { opening } = this;
    this.opening = null;
    opening?.then(
      (session) => session.close(),
      () => undefined,
    );
  }

  /** A JVM may have ended since the last question, with the instance but not with the class. */
  private async ask(question: Question): Promise<HostValue> {
    const isNew = this.opening === null;
    try {
      return await this.askOnce(question);
    } catch (error) {
      if (isNew || question.isLate || error instanceof JavaError) throw error;
      return await this.askOnce(question);
    }
  }

  private async askOnce({ path, keys }: Question): Promise<HostValue> {
    const opening = this.session();
    try {
      return await (await opening).call('get', path, keys);
    } catch (error) {
      // The call may learn of the end first.
      if (!(error instanceof JavaError) && this.opening === opening) this.end();
      throw error;
    }
  }

  private session(): Promise<HostSession> {
    if (this.opening !== null) return this.opening;
    const opening = this.open();
    this.opening = opening;
    const forget = (): void => {
      if (this.opening === opening) this.opening = null;
    };
    opening.then((session) => void session.ended.then(forget), forget);
    return opening;
  }

  private async open(): Promise<HostSession> {
    const { class: name, location, classPath } = this.plugin;
    const { jvms, settings } = this.options;
    return await jvms().open({ location, classPath }, { kind: 'config-provider', class: name, settings });
  }
}

function provided(answer: HostValue): ProvidedValues {
  const { values, ttlMs = null } = map(answer);
  const known = new Map<string, string>();
  for (const [key, value] of Object.entries(map(values))) {
    if (typeof value === 'string') known.set(key, value);
    else if (value !== null) throw new ConnectError('it returned a value that is not a text');
  }
  const isTime = (typeof ttlMs === 'number' || typeof ttlMs === 'bigint') && ttlMs >= 0;
  return { values: known, ttlMs: isTime ? Math.max(MIN_TTL_MS, Math.min(MAX_TTL_MS, Number(ttlMs))) : null };
}

function map(value: HostValue | undefined): HostMap {
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Map))
    return value as HostMap;
  throw new ConnectError('its answer is no map');
}

function sentence(error: unknown): string {
  const text = messageOf(error);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
