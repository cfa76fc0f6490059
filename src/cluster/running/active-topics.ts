/** The topics that a connector's tasks have used. Sources: connect-runtime §3.11, connect-rest §1.17, §2.5. */
import type { StatusStore } from '../../storage/status/status-store';
import { HerderError } from '../errors';

export interface TopicTracking {
  /** `topic.tracking.enable`. */
  readonly enabled: boolean;
  /** `topic.tracking.allow.reset`. */
  readonly resetAllowed: boolean;
}

export class ActiveTopics {
  constructor(
    private readonly statuses: StatusStore,
    private readonly tracking: TopicTracking,
  ) {}

  /** Empty for an unknown connector. Throws HerderError 403 when topic tracking is disabled, as `reset`. */
  list(connector: string): readonly string[] {
    this.requireTracking();
    return this.statuses.cache.topicsOf(connector).map(({ topic }) => topic);
  }

  /** On any worker. All workers and tasks read the reset; a topic in use is recorded again. */
  reset(connector: string): void {
    this.requireTracking();
    if (!this.tracking.resetAllowed) throw new HerderError(403, 'Topic tracking reset is disabled.');
    for (const { topic } of this.statuses.cache.topicsOf(connector)) this.statuses.deleteTopic(connector, topic);
  }

  private requireTracking(): void {
    if (!this.tracking.enabled) throw new HerderError(403, 'Topic tracking is disabled.');
  }
}
