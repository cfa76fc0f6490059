/** Creates or changes the publication at the start of a task, and reports what it does not deliver. */
import { ConnectError } from '@millrace/sdk';
import type { Client } from 'pg';
import type { CatalogTable } from '../database/catalog';
import { errorCode } from '../database/errors';
import { insertedLsn } from '../database/inserted-lsn';
import { formatLsn } from '../database/lsn';
import { PublicationCoverage } from '../publication/coverage';
import {
  absentLine,
  addedLine,
  createdLateLine,
  droppedText,
  renamedLine,
  unloggedLine,
  withheldLine,
} from '../publication/lines';
import { changePublication, planPublication, publishable, type PublicationPlan } from '../publication/plan';
import { findPublication, OPERATIONS } from '../publication/state';
import { LOCK_MS, PublicationWatch } from '../publication/watch';
import type { Session } from '../session';
import { setReplicaIdentities } from './replica-identity';

interface PublicationStart {
  /** The stream continues after changes that were made before this start. */
  readonly resumes: boolean;
  /** Called when the publication was created. */
  readonly onCreated: () => void;
}

export async function ensurePublication(
  client: Client,
  session: Session,
  tables: readonly CatalogTable[],
  { resumes, onCreated }: PublicationStart,
): Promise<PublicationWatch> {
  const { config, facts, logger, general, signal, relations } = session;
  const { name } = config.publication;
  let state = await findPublication(client, name, facts.version);
  if (state === null && facts.inRecovery)
    throw new ConnectError(
      `Publication "${name}" does not exist, and a standby cannot create it: create it on the primary.`,
      { code: 'PG_PUBLICATION_MISSING' },
    );
  if (!facts.inRecovery) {
    const plan = planPublication(config, state, tables, facts.version);
    await apply(client, session, plan, { resumes, onCreated });
    if (plan.widens !== null || plan.narrows !== null) state = await findPublication(client, name, facts.version);
  }
  const watch = new PublicationWatch({
    ...{ config, facts, general, logger, signal },
    prepare: (at, added) => setReplicaIdentities(at, config.replicaIdentities, added, logger, LOCK_MS),
  });
  relations.onDdl = () => watch.due();
  if (state === null) return watch;
  watch.begin(state, tables);
  const { absent, renamed } = new PublicationCoverage(state).gaps(publishable(tables, facts.version));
  const { operations } = state;
  const withheld = Object.values(OPERATIONS).filter((operation) => !operations.has(operation));
  const line = withheldLine(name, withheld, config.skipped);
  if (line !== null) logger.warn(line);
  const unlogged = absent.filter((table) => table.unlogged);
  const lacking = absent.filter((table) => !table.unlogged);
  if (unlogged.length > 0) logger.warn(unloggedLine(unlogged));
  if (lacking.length > 0) logger.warn(absentLine(name, lacking));
  if (renamed.length > 0) logger.warn(renamedLine(name, renamed, state.viaRoot));
  return watch;
}

async function apply(
  client: Client,
  { config, logger }: Pick<Session, 'config' | 'logger'>,
  { creates, widens, narrows, added, dropped }: PublicationPlan,
  { resumes, onCreated }: PublicationStart,
): Promise<void> {
  const { name } = config.publication;
  if (widens !== null) {
    await changePublication(client, config, widens);
    if (creates) {
      onCreated();
      logger.info(`Created publication "${name}".`);
      if (resumes) logger.warn(createdLateLine(name));
    } else if (resumes) logger.warn(addedLine(name, added, widens, formatLsn(await insertedLsn(client))));
    else logger.info(`Changed publication "${name}": ${widens};`);
  }
  if (narrows === null) return;
  try {
    await changePublication(client, config, narrows);
    logger.info(
      `Changed publication "${name}": ${narrows}; It no longer contains ${dropped.map(droppedText).join(', ')}, which is not captured.`,
    );
  } catch (error) {
    // What it publishes beyond the captured tables is left out of the stream.
    if (errorCode(error) !== 'PG_PRIVILEGE') throw error;
    logger.warn(
      `Publication "${name}" contains tables that are not captured: ${dropped.map(droppedText).join(', ')}. The role may not remove them; an owner of the publication can run ${narrows};`,
    );
  }
}
