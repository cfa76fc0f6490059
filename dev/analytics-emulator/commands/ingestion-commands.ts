/** Commands of the data-management endpoint, failures, and rows given inline. Source: analytics-sink §5.5, §5.8. */
import type { Column } from '../engine/column-types';
import { runSelection } from '../engine/run-selection';
import { pipeline } from '../language/query';
import { textTable } from '../engine/result-table';
import type { Command } from './command';

const FAILURES: readonly Column[] = [
  { name: 'OperationId', type: 'string' },
  { name: 'Database', type: 'string' },
  { name: 'Table', type: 'string' },
  { name: 'FailedOn', type: 'datetime' },
  { name: 'IngestionSourcePath', type: 'string' },
  { name: 'Details', type: 'string' },
  { name: 'FailureKind', type: 'string' },
  { name: 'RootActivityId', type: 'string' },
  { name: 'OperationKind', type: 'string' },
  { name: 'OriginatesFromUpdatePolicy', type: 'bool' },
  { name: 'ErrorCode', type: 'string' },
  { name: 'Principal', type: 'string' },
  { name: 'User', type: 'string' },
  { name: 'IngestionProperties', type: 'string' },
  { name: 'NumberOfSources', type: 'int' },
  { name: 'ShouldRetry', type: 'bool' },
];

const ingestionResources: Command = async ({ resources }, reader) => {
  reader.rest();
  return textTable(['ResourceTypeName', 'StorageRoot'], await resources.list());
};

export const ingestionCommands: Record<string, Command> = {
  'get ingestion resources': ingestionResources,
  // The Java SDK sends this command, 7.0.5 included.
  'show ingestion resources': ingestionResources,

  'get kusto identity token': async ({ identities }, reader) => {
    reader.end();
    return textTable(['AuthorizationContext'], [[identities.issue()]]);
  },

  'show ingestion failures': async ({ database }, reader) => {
    let sql = 'SELECT * FROM __emulator.failures';
    if (reader.skip('with', '(', 'OperationId', '=')) {
      const id = reader.rawUntil(')').replaceAll(/["']/g, '');
      reader.expect(')');
      sql += ` WHERE OperationId = '${id.replaceAll("'", "''")}'`;
    }
    return await runSelection(database, pipeline(reader, { sql, columns: FAILURES }));
  },

  'ingest inline into table': async ({ catalog, loader }, reader, database) => {
    const table = catalog.table(database, reader.name());
    reader.expect('<|');
    const rows = await loader.load({
      database: table.database,
      table: table.name,
      format: 'csv',
      data: Buffer.from(reader.rest()),
      properties: {},
      source: { id: '', path: '', tags: [] },
    });
    return textTable(
      ['ExtentId', 'ItemLoaded', 'Duration', 'HasErrors', 'OperationId'],
      [['', `${rows} row(s)`, '00:00:00', 'False', '']],
    );
  },
};
