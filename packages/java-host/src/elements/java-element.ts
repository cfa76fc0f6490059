import type { CheckedValue, ConfigKey, ConnectorConfig, TaskOwner } from '@millrace/sdk';
import type { HostSession } from '../jvm/jvms';
import type { HostMap } from '../wire/host-value';

/** A converter, header converter, transformation or predicate of a jar, for a Node.js task. */
export interface JavaElement {
  readonly class: string;
  readonly config: readonly ConfigKey[];
  checkValues(settings: ConnectorConfig): Promise<readonly CheckedValue[]>;
  /** See `Jvms.open`. */
  open(session: HostMap, signal: AbortSignal): Promise<HostSession>;
}

/** For `open`: lines of its log have these names, and the values of the connector's config are hidden in them. */
export function ownerNames(owner: TaskOwner | undefined): HostMap {
  return owner === undefined ? {} : { connector: owner.connector, task: owner.task };
}
