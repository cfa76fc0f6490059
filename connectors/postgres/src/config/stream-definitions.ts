/** Definitions of the settings of the change stream other than its slot and publication. */
import { key, type Definition } from './definition';
import { KEY } from './keys';

export const STREAM_DEFINITIONS: readonly Definition[] = [
  key(
    KEY.replicaIdentityAutosetValues,
    'STRING',
    null,
    'Replica identities that the connector sets at its start, with ALTER TABLE: <pattern>:FULL,<pattern>:INDEX <index>; also DEFAULT and NOTHING. The role must own the tables.',
  ),
  key(
    KEY.internalSlotSeekToKnownOffsetOnStart,
    'BOOLEAN',
    false,
    'true: the same as offset.mismatch.strategy=trust_offset, unless that is set.',
  ),
];
