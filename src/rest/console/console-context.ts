/** Dependencies of the console's API, beside the routers'. */
import type { ForwardRequest } from '../../cluster/forwarding/forwarding';
import type { CredentialType } from '../auth/access';
import type { RestContext } from '../routes/context';

export interface ConsoleContext extends RestContext {
  readonly accepts: readonly CredentialType[];
  /** Sends a request to another worker. */
  readonly send: ForwardRequest;
  readonly millraceVersion: string;
  readonly groupId: string;
  /** `console.docs.url` */
  readonly docsUrl: string | null;
  /** `topic.tracking.enable` */
  readonly tracksTopics: boolean;
}
