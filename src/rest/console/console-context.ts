/** Dependencies of the console's API, beside the routers'. */
import type { CredentialType } from '../auth/access';
import type { RestContext } from '../routers/context';

export interface ConsoleContext extends RestContext {
  readonly accepts: readonly CredentialType[];
  readonly millraceVersion: string;
  readonly groupId: string;
  /** `topic.tracking.enable` */
  readonly tracksTopics: boolean;
}
