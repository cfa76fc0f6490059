/** Dependencies of the routers. */
import type { Herder } from '../../cluster/herder';
import type { ConfigValidator } from '../../config/validation/config-infos';
import type { LogLevels } from '../../logging/log-levels';
import type { Logger } from '../../logging/logger';
import type { JvmFigures } from '../../metrics/jvm-groups';
import type { RestMetrics } from '../../metrics/rest-metrics';
import type { PluginRegistry } from '../../plugins/registry';
import type { HiddenSecrets } from '../auth/hidden-secrets';
import type { GroupHealth } from '../health/group-health';
import type { Forwarder } from './forward';
import type { GroupLogs } from './group-logs';

export interface RestContext {
  /** Throws RestError 404 while the worker has no herder yet: clients retry on 404. */
  readonly herder: () => Herder;
  /** The herder, or null while there is none. */
  readonly herderIfReady: () => Herder | null;
  readonly registry: PluginRegistry;
  readonly validator: ConfigValidator;
  readonly levels: LogLevels;
  readonly logger: Logger;
  readonly forward: Forwarder;
  readonly logs: GroupLogs;
  readonly secrets: HiddenSecrets;
  readonly health: GroupHealth;
  readonly metrics: RestMetrics;
  /** Of plugins in jars. (Default: none) */
  readonly jvms?: () => readonly JvmFigures[];
  readonly version: string;
  readonly commit: string;
  /** Start time of the worker, milliseconds since the epoch. */
  readonly startedAt: number;
  /** How long `GET /health` waits for the herder, milliseconds. */
  readonly healthLimitMs: number;
}
