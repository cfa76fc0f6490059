import type { CheckedValue, ConfigKey, ConnectorConfig } from '@millrace/sdk';
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
