import { typeFacts } from '../engine/column-types';
import type { TableEntry } from '../engine/catalog';
import { textTable, type ResultTable } from '../engine/result-table';
import { dropMapping, showMappings, writeMapping } from './mappings';
import { alterPolicy, deletePolicy, showPolicy } from './policies';
import type { Command } from './command';

function described({ database, name, columns }: TableEntry): ResultTable {
  const schema = {
    Name: name,
    OrderedColumns: columns.map((column) => ({
      Name: column.name,
      Type: `System.${typeFacts(column.type).dataType}`,
      CslType: column.type,
    })),
  };
  return textTable(
    ['TableName', 'Schema', 'DatabaseName', 'Folder', 'DocString'],
    [[name, JSON.stringify(schema), database, '', '']],
  );
}

function scopeOf({ database, name }: TableEntry): string {
  return `${database}/${name}`;
}

/** Commands that start with a verb and `table`. The words after the table's name select the object. */
export const tableCommands: Record<string, Command> = {
  'create table': async (context, reader, database) => {
    const { catalog } = context;
    const name = reader.name();
    if (reader.skip('ingestion')) return await writeMapping(context, reader, catalog.table(database, name), 'create');
    const columns = reader.columns();
    reader.rest();
    return described(catalog.findTable(database, name) ?? (await catalog.createTable(database, name, columns)));
  },

  'create-or-alter table': async (context, reader, database) => {
    const table = context.catalog.table(database, reader.name());
    reader.expect('ingestion');
    return await writeMapping(context, reader, table, 'create-or-alter');
  },

  'create-merge table': async ({ catalog }, reader, database) => {
    const name = reader.name();
    const columns = reader.columns();
    reader.rest();
    const found = catalog.findTable(database, name);
    return described(
      found ? await catalog.mergeTable(found, columns) : await catalog.createTable(database, name, columns),
    );
  },

  'alter table': async (context, reader, database) => {
    const table = context.catalog.table(database, reader.name());
    if (reader.skip('policy')) return await alterPolicy(context, reader, scopeOf(table));
    reader.expect('ingestion');
    return await writeMapping(context, reader, table, 'alter');
  },

  'delete table': async (context, reader, database) => {
    const table = context.catalog.table(database, reader.name());
    reader.expect('policy');
    return await deletePolicy(context, reader, scopeOf(table));
  },

  'drop table': async (context, reader, database) => {
    const { catalog } = context;
    const name = reader.name();
    if (reader.skip('ingestion')) return await dropMapping(context, reader, catalog.table(database, name));
    const onlyIfThere = reader.skip('ifexists');
    reader.end();
    const found = onlyIfThere ? catalog.findTable(database, name) : catalog.table(database, name);
    if (found) await catalog.dropTable(found);
    return textTable(
      ['TableName', 'DatabaseName'],
      catalog.tablesOf(database).map((table) => [table.name, table.database]),
    );
  },

  'clear table': async ({ catalog }, reader, database) => {
    const table = catalog.table(database, reader.name());
    reader.expect('data');
    reader.end();
    await catalog.clearTable(table);
    return textTable(['ExtentId', 'TableName'], [['', table.name]]);
  },

  'show table': async (context, reader, database) => {
    const table = context.catalog.table(database, reader.name());
    if (reader.skip('policy')) return showPolicy(context, reader, scopeOf(table));
    if (reader.skip('ingestion')) return showMappings(context, reader, table);
    reader.skip('schema', 'as', 'json');
    reader.end();
    return described(table);
  },

  'show tables': async ({ catalog }, reader, database) => {
    reader.end();
    return textTable(
      ['TableName', 'DatabaseName', 'Folder', 'DocString'],
      catalog.tablesOf(database).map((table) => [table.name, table.database, '', '']),
    );
  },
};
