/**
 * Commands for policies of databases and tables. All are stored and shown; only streaming and batching policies have an
 * effect. The reader is positioned after the word `policy`.
 */
import { badRequest } from '../kusto-error';
import type { Reader } from '../language/reader';
import { textTable, type ResultTable } from '../engine/result-table';
import type { CommandContext } from './context';

const POLICIES = ['streamingingestion', 'ingestionbatching'];

/** @param scope A database's name, or `database/table`. */
export function showPolicy({ catalog }: CommandContext, reader: Reader, scope: string): ResultTable {
  const policy = reader.oneOf(...POLICIES);
  reader.end();
  return policyTable(scope, policy, catalog.policy(scope, policy));
}

export async function alterPolicy({ catalog }: CommandContext, reader: Reader, scope: string): Promise<ResultTable> {
  const policy = reader.oneOf(...POLICIES);
  let text: string | null;
  if (reader.skip('enable')) text = '{"IsEnabled":true,"HintAllocatedRate":null}';
  else if (reader.skip('disable')) text = '{"IsEnabled":false,"HintAllocatedRate":null}';
  else text = validJson(reader.string());
  reader.rest();
  await catalog.setPolicy(scope, policy, text);
  return policyTable(scope, policy, text);
}

export async function deletePolicy({ catalog }: CommandContext, reader: Reader, scope: string): Promise<ResultTable> {
  const policy = reader.oneOf(...POLICIES);
  reader.end();
  await catalog.setPolicy(scope, policy, null);
  return policyTable(scope, policy, null);
}

function policyTable(scope: string, policy: string, text: string | null): ResultTable {
  const [database = '', table] = scope.split('/');
  const entity = table === undefined ? `[${database}]` : `[${database}].[${table}]`;
  const name = policy === 'streamingingestion' ? 'StreamingIngestionPolicy' : 'IngestionBatchingPolicy';
  return textTable(
    ['PolicyName', 'EntityName', 'Policy', 'ChildEntities', 'EntityType'],
    [[name, entity, text ?? 'null', '', table === undefined ? 'Database' : 'Table']],
  );
}

function validJson(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    throw badRequest('The policy is not valid JSON');
  }
}
