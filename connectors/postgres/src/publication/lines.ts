/** What the log says of tables that leave and join a publication. */
import { qualified, type TableName } from '../database/catalog';
import { quoteIdentifier, quoteTable } from '../database/identifiers';
import { addition, viaRootStatement } from './plan';
import { renamedText, type RenamedTable } from './coverage';
import { OPERATIONS, UNREAD, type PublicationMember, type PublishedOperation } from './state';

const CODE = 'PG_PUBLICATION_TABLES';
/** Names listed in one line. */
const MOST_NAMES = 20;

/** @param at position in the WAL after the change, as text */
export function addedLine(name: string, tables: readonly TableName[], statement: string, at: string): string {
  const one = tables.length === 1;
  return `${CODE}: ${one ? 'table' : 'tables'} ${names(tables)} ${one ? 'was' : 'were'} not in publication "${name}": added ${one ? 'it' : 'them'} (${statement}). ${missingBefore(tables, at)}`;
}

export function absentLine(name: string, tables: readonly TableName[]): string {
  return `${CODE}: Publication "${name}" does not contain ${names(tables)}: their changes do not arrive. Run ${addition(name, tables)};`;
}

/** Of tables that a filtered publication lacks. */
export function notAddedLine(name: string, tables: readonly TableName[], why: string): string {
  return `${CODE}: Publication "${name}" does not contain ${names(tables)}: their changes do not arrive until they are added, which is tried again. ${why}`;
}

/** Of tables that took the names of published ones whose row filter could not be read, because they were locked. */
export function unclearLine(name: string, tables: readonly TableName[]): string {
  return `${CODE}: Publication "${name}" does not contain ${names(tables)}: their changes do not arrive. A former table of the name had a row filter, which could not be read while it was locked: add them with the same filter. Run ${addition(name, tables)} WHERE (…);`;
}

export function unloggedLine(tables: readonly TableName[]): string {
  const statements = tables.map((table) => `ALTER TABLE ${quoteTable(table)} SET LOGGED;`);
  return `PG_UNLOGGED_TABLE: ${names(tables)} ${tables.length === 1 ? 'is' : 'are'} UNLOGGED: changes are not in the write-ahead log, so they do not arrive. Run ${statements.slice(0, MOST_NAMES).join(' ')}`;
}

/** @param created the statement that has created the publication again; null: it is still missing */
export function missingLine(name: string, created: string | null): string {
  const what = created === null ? 'Create it again before anything is written' : `Created it again (${created})`;
  return `PG_PUBLICATION_MISSING: Publication "${name}" was dropped. ${what}: the task fails at the first change that was made while it did not exist.`;
}

/** Of tables that another session has added. */
export function returnedLine(name: string, tables: readonly TableName[], at: string): string {
  return `${CODE}: ${names(tables)} ${tables.length === 1 ? 'is' : 'are'} in publication "${name}" again: ${missingBefore(tables, at).replace(/^C/, 'c')}`;
}

/** Of tables that left and joined between two checks. */
export function replacedLine(name: string, tables: readonly TableName[]): string {
  return `${CODE}: ${names(tables)} left publication "${name}" and joined it again, or another table took the name: changes made meanwhile may be missing. ${readAgain(tables)}`;
}

export function renamedLine(name: string, tables: readonly RenamedTable<TableName>[], viaRoot: boolean): string {
  const shown = tables.slice(0, MOST_NAMES).map(renamedText).join(', ');
  return `${CODE}: Publication "${name}" sends the changes of partitioned tables under names that are not captured, so they are dropped: ${shown}${more(tables.length)}. Capture these names, or run ${viaRootStatement(name, !viaRoot)}`;
}

/** Of operations that the publication leaves out and the connector does not skip; null: none. */
export function withheldLine(
  name: string,
  withheld: readonly PublishedOperation[],
  skipped: ReadonlySet<string>,
): string | null {
  const wanted = Object.entries(OPERATIONS)
    .filter(([letter, operation]) => withheld.includes(operation) && !skipped.has(letter))
    .map(([, operation]) => operation);
  if (wanted.length === 0) return null;
  const publish = Object.values(OPERATIONS).join(', ');
  return `${CODE}: Publication "${name}" does not publish ${wanted.join(', ')}: these changes do not arrive. Run ALTER PUBLICATION ${quoteIdentifier(name)} SET (publish = '${publish}'); or name them in skipped.operations.`;
}

/** Of a publication that was created while the slot retains earlier changes. */
export function createdLateLine(name: string): string {
  return `PG_PUBLICATION_MISSING: Publication "${name}" did not exist and was created while the slot has earlier changes: the task fails at the first change that was made while it did not exist.`;
}

/** With what is lost of their definition. */
export function droppedText(member: PublicationMember): string {
  const traits = [
    ...(member.columns === null ? [] : [`column list ${member.columns.join(', ')}`]),
    ...(member.rowFilter === null ? [] : [`row filter${member.rowFilter === UNREAD ? '' : ` ${member.rowFilter}`}`]),
  ];
  return `${qualified(member)}${traits.length === 0 ? '' : ` (with its ${traits.join(' and ')})`}`;
}

function missingBefore(tables: readonly TableName[], at: string): string {
  const [them, their] = tables.length === 1 ? ['it', 'its topic'] : ['them', 'their topics'];
  return `Changes made to ${them} before ${at} are not in ${their}. ${readAgain(tables)}`;
}

function readAgain(tables: readonly TableName[]): string {
  const collections = JSON.stringify(tables.slice(0, MOST_NAMES).map(qualified));
  return `To read the rows that are there, send the signal execute-snapshot with {"data-collections": ${collections}}.`;
}

function names(tables: readonly TableName[]): string {
  return tables.slice(0, MOST_NAMES).map(qualified).join(', ') + more(tables.length);
}

function more(count: number): string {
  return count > MOST_NAMES ? ` and ${count - MOST_NAMES} more` : '';
}
