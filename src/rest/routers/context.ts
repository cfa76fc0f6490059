/** What the routers are built from. */
import type { Herder } from '../../cluster/herder';
import type { ConfigValidator } from '../../config/validation/config-infos';
import type { LogLevels } from '../../logging/log-levels';
import type { Logger } from '../../logging/logger';
import type { PluginRegistry } from '../../plugins/registry';
import type { Forwarder } from './forward';

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
  readonly version: string;
  readonly commit: string;
  /** When the worker started, milliseconds since the epoch. */
  readonly startedAt: number;
  /** Milliseconds `GET /health` waits for the herder. */
  readonly healthLimitMs: number;
}
