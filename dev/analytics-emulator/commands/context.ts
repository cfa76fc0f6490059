/** The state that commands read and change. */
import type { Catalog } from '../engine/catalog';
import type { Database } from '../engine/database';
import type { Loader } from '../ingest/loader';
import type { Resources } from '../storage/resources';
import type { ExpiringTokens } from '../expiring-tokens';

export interface CommandContext {
  readonly catalog: Catalog;
  readonly database: Database;
  readonly loader: Loader;
  readonly resources: Resources;
  readonly identities: ExpiringTokens;
}
