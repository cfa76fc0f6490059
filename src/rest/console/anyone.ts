/** The console hides secrets from every caller: admins, too, share their screens. */
import type { Caller } from '../auth/access';

/** Sees what a caller without a role sees, if roles are set. */
export const ANYONE: Caller = { user: null, role: null };
