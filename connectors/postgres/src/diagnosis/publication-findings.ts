/** Publications that pgoutput reads. Pure. */
import { isConnectError, type Finding } from '@millrace/sdk';
import { qualified, type CatalogTable } from '../database/catalog';
import { PublicationCoverage, renamedText, type RenamedTable } from '../publication/coverage';
import {
  addition,
  createStatement,
  planPublication,
  publishable,
  statementsOf,
  viaRootStatement,
  type PublicationPlan,
} from '../publication/plan';
import type { Facts, PublicationFacts, SlotFacts } from './facts';
import { caution, fault, listed, place } from './finding';

export function publicationFindings(facts: Facts): Finding[] {
  return facts.slots.flatMap((slot) => (slot.publication === undefined ? [] : findings(facts, slot, slot.publication)));
}

function findings(facts: Facts, { config, tables }: SlotFacts, publication: PublicationFacts | null): Finding[] {
  const { mode, name } = config.publication;
  // Reported with the tables.
  const logged = tables.filter((table) => !table.unlogged);
  if (publication === null && (mode === 'disabled' || facts.server.inRecovery))
    return [
      fault(
        'PG_PUBLICATION_MISSING',
        `Publication "${name}" does not exist in database "${config.connection.database}", and the connector ${mode === 'disabled' ? 'may not create it (publication.autocreate.mode=disabled)' : 'cannot create it on a standby'}.`,
        {
          cure: `Create it${place(facts.server)} as the owner of the tables.`,
          statements: [createStatement(config, logged)],
        },
      ),
    ];
  let plan: PublicationPlan;
  try {
    plan = planPublication(config, publication, logged, facts.server.version);
  } catch (error) {
    if (!isConnectError(error)) throw error;
    return [fault(error.code, error.message)];
  }
  return [...privileges(facts, plan, publication, logged, name), ...absent(facts, logged, publication, config)];
}

/** The connector creates or changes the publication at its start. */
function privileges(
  facts: Facts,
  plan: PublicationPlan,
  publication: PublicationFacts | null,
  tables: readonly CatalogTable[],
  name: string,
): Finding[] {
  const { widens, creates, added } = plan;
  // Tables that are not captured may stay in the publication.
  if (widens === null || facts.isSuperuser) return [];
  const reasons: string[] = [];
  if (creates && facts.config.publication.mode === 'all_tables')
    reasons.push('only a superuser may publish all tables');
  if (creates && !facts.mayCreate) reasons.push('it lacks CREATE on the database');
  if (publication !== null && !publication.isOwner) reasons.push('it does not own the publication');
  const named = creates ? tables : added;
  const foreign = facts.foreign.filter((table) => named.some(({ oid }) => oid === table.oid));
  if (facts.config.publication.mode === 'filtered' && foreign.length > 0)
    reasons.push(`it does not own ${listed(foreign.map(qualified))}`);
  if (reasons.length === 0) return [];
  return [
    fault(
      'PG_PRIVILEGE',
      `The role ${facts.server.user} may not ${creates ? 'create' : 'change'} publication "${name}": ${reasons.join('; ')}.`,
      {
        cure: `Run this as a superuser${place(facts.server)}, and set publication.autocreate.mode=disabled.`,
        statements: statementsOf(plan).map((statement) => `${statement};`),
      },
    ),
  ];
}

function absent(
  { config: { filters }, server }: Facts,
  tables: readonly CatalogTable[],
  publication: PublicationFacts | null,
  { publication: { mode, name } }: Facts['config'],
): Finding[] {
  if (publication === null || mode === 'no_tables') return [];
  const { absent: missing, renamed } = new PublicationCoverage(publication).gaps(publishable(tables, server.version));
  // Without an include list, the publication may be what selects the tables.
  const build = filters.tableInclude === null ? caution : fault;
  const found = renamed.length === 0 ? [] : [renaming(name, renamed, !publication.viaRoot, server)];
  // The connector adds them to a filtered publication.
  if (missing.length === 0 || mode === 'filtered') return found;
  return [
    ...found,
    build(
      'PG_PUBLICATION_TABLES',
      `Publication "${name}" does not contain ${listed(missing.map(qualified))}, so their changes are not captured.`,
      {
        cure: `Exclude them in the config, or add them as the owner of the publication${place(server)}.`,
        statements: [`${addition(name, missing)};`],
      },
    ),
  ];
}

function renaming(
  name: string,
  tables: readonly RenamedTable<CatalogTable>[],
  viaRoot: boolean,
  server: Facts['server'],
): Finding {
  return caution(
    'PG_PUBLICATION_TABLES',
    `Publication "${name}" sends the changes of ${listed(tables.map(renamedText))}, and these names are not captured.`,
    {
      cure: `Capture these names in the config, or change the publication as its owner${place(server)}.`,
      statements: [viaRootStatement(name, viaRoot)],
    },
  );
}
