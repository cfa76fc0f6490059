/** What a JVM says about a class of its jars. */
import {
  type CheckedValue,
  type ConfigKey,
  type ConfigType,
  ConnectError,
  type ConnectorConfig,
  type Importance,
  type Width,
  withDeadline,
} from '@millrace/sdk';
import type { JavaPlugin } from '../java-plugin';
import type { Jvms } from '../jvm/jvms';
import type { HostMap, HostValue } from '../wire/host-value';
import { ProtocolError } from '../wire/protocol-error';

/** What the runtime shows of a password. */
const HIDDEN = '[hidden]';

/** Longer than REST waits for a validation. */
const LIMIT_MS = 120_000;

export interface JavaDescription {
  /** Of connectors; null: it names none. */
  readonly taskClass: string | null;
  readonly keys: readonly ConfigKey[];
  /** Optional methods that the class itself has. */
  readonly overrides: ReadonlySet<string>;
}

/** Each question has a session of its own: one that takes long keeps no other one waiting. */
export class JavaClass {
  constructor(
    private readonly plugin: JavaPlugin,
    private readonly jvms: Jvms,
    /** After it, the host interrupts what answers. Milliseconds. */
    private readonly limitMs = LIMIT_MS,
  ) {}

  async describe(): Promise<JavaDescription> {
    const { type, class: name } = this.plugin;
    const { taskClass = null, keys = null, overrides = null } = map(await this.ask('describe', type, name));
    if (taskClass !== null && typeof taskClass !== 'string') throw invalid('the class of its tasks');
    return { taskClass, keys: list(keys).map(configKey), overrides: new Set(list(overrides).map(text)) };
  }

  async validate(config: ConnectorConfig): Promise<readonly CheckedValue[]> {
    const { type, class: name } = this.plugin;
    const args = [type, name, config];
    // A transformation's `name` is a setting of its own.
    const isConnector = type === 'source' || type === 'sink';
    const answer = isConnector ? await this.askAbout(config, 'validate', ...args) : await this.ask('validate', ...args);
    return list(answer).map(checkedValue);
  }

  private late(method: string): ConnectError {
    const message = `${method} of ${this.plugin.class} did not return within ${this.limitMs / 1000} s: check what it waits for, e.g. a database.`;
    return new ConnectError(message, { code: 'PLUGIN_CALL_TIMEOUT' });
  }

  async ask(method: string, ...args: readonly HostValue[]): Promise<HostValue> {
    return await this.askIn({ kind: 'plugins' }, method, args);
  }

  /** With the config of a connector, whose lines the JVM may write meanwhile. */
  async askAbout({ name }: ConnectorConfig, method: string, ...args: readonly HostValue[]): Promise<HostValue> {
    return await this.askIn({ kind: 'plugins', ...(name !== undefined && { connector: name }) }, method, args);
  }

  private async askIn(kind: HostMap, method: string, args: readonly HostValue[]): Promise<HostValue> {
    const { location, classPath } = this.plugin;
    const session = await this.jvms.open({ location, classPath }, kind);
    try {
      return await withDeadline(session.call(method, ...args), this.limitMs, () => this.late(method));
    } finally {
      session.close();
    }
  }
}

function configKey(value: HostValue): ConfigKey {
  const key = map(value);
  const { required, default: given = null, group = null, order_in_group: order } = key;
  const type = text(key.type) as ConfigType;
  return {
    name: text(key.name),
    type,
    ...(required !== true && { default: defaultOf(type, given, key.default_value ?? null) }),
    importance: text(key.importance) as Importance,
    documentation: text(key.documentation ?? ''),
    group: group === null ? null : text(group),
    order: typeof order === 'number' ? order : -1,
    width: text(key.width) as Width,
    // Some of Debezium's have none.
    displayName: text(key.display_name ?? key.name),
    dependents: list(key.dependents ?? []).map(text),
  };
}

/** @param shown as Java's REST shows it */
function defaultOf(type: ConfigType, given: HostValue, shown: HostValue): NonNullable<ConfigKey['default']> | null {
  if (shown === null) return null;
  // The password itself stays in the JVM.
  if (type === 'PASSWORD') return HIDDEN;
  if (Array.isArray(given)) return given.map(text);
  if (typeof given === 'number' || typeof given === 'boolean') return given;
  return text(shown);
}

function checkedValue(value: HostValue): CheckedValue {
  const { name, value: shown = null, hidden, recommended = [], errors = [], visible } = map(value);
  return {
    name: text(name),
    value: hidden === true ? HIDDEN : shown === null ? null : text(shown),
    // Java's answers may have null among them, which no client can choose.
    recommended: list(recommended).flatMap((one) => (one === null ? [] : [text(one)])),
    errors: list(errors).map(text),
    visible: visible !== false,
  };
}

function map(value: HostValue | undefined): HostMap {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Map)
    throw invalid('a map');
  return value as HostMap;
}

function list(value: HostValue | undefined): readonly HostValue[] {
  if (!Array.isArray(value)) throw invalid('a list');
  return value as readonly HostValue[];
}

function text(value: HostValue | undefined): string {
  if (typeof value !== 'string') throw invalid('a text');
  return value;
}

function invalid(what: string): ProtocolError {
  return new ProtocolError(`its answer about a class should have ${what} where it has none`);
}
