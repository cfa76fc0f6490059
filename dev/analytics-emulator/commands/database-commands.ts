import { textTable } from '../engine/result-table';
import { badRequest } from '../kusto-error';
import { alterPolicy, deletePolicy, showPolicy } from './policies';
import type { Command } from './command';

const PRETTY = ['DatabaseName', 'PersistentStorage', 'Version', 'IsCurrent', 'DatabaseAccessMode', 'PrettyName'];

export const databaseCommands: Record<string, Command> = {
  'show databases': async ({ catalog }, reader) => {
    reader.end();
    return textTable(
      PRETTY,
      catalog.databaseNames().map((name) => [name, '', 'v1.0', 'false', 'ReadWrite', '']),
    );
  },

  'create database': async ({ catalog }, reader) => {
    const name = reader.name();
    // The storage location of a real cluster is ignored.
    reader.rest();
    if (catalog.databaseNames().some((known) => known.toLowerCase() === name.toLowerCase()))
      throw badRequest(`Database '${name}' already exists`, 'BadRequest_EntityNameAlreadyExists');
    await catalog.createDatabase(name);
    return textTable(PRETTY.slice(0, 2), [[name, '']]);
  },

  'show version': async (_, reader) => {
    reader.end();
    return textTable(
      ['BuildVersion', 'BuildTime', 'ServiceType', 'ProductVersion', 'ServiceOffering'],
      [['1.0.0', '', 'Engine', 'emulator', '{"Type":"Emulator"}']],
    );
  },

  'add database': async ({ catalog }, reader) => {
    const database = catalog.database(reader.name());
    const role = reader.oneOf('admins', 'ingestors', 'users', 'viewers', 'unrestrictedviewers', 'monitors');
    reader.expect('(');
    const principals: string[] = [];
    do principals.push(reader.string());
    while (reader.skip(','));
    reader.expect(')');
    const note = reader.nextIsString() ? reader.string() : '';
    reader.end();
    for (const principal of principals) await catalog.addPrincipal(database, role, principal, note);
    return textTable(
      ['Role', 'PrincipalType', 'PrincipalDisplayName', 'PrincipalObjectId', 'PrincipalFQN', 'Notes'],
      principals.map((principal) => [
        `Database ${database} ${role}`,
        'AAD Application',
        principal,
        '',
        principal,
        note,
      ]),
    );
  },

  'show database': async (context, reader) => {
    const scope = context.catalog.database(reader.name());
    reader.expect('policy');
    return showPolicy(context, reader, scope);
  },
  'alter database': async (context, reader) => {
    const scope = context.catalog.database(reader.name());
    reader.expect('policy');
    return await alterPolicy(context, reader, scope);
  },
  'delete database': async (context, reader) => {
    const scope = context.catalog.database(reader.name());
    reader.expect('policy');
    return await deletePolicy(context, reader, scope);
  },

  'show principal access with': async (_, reader) => {
    const given = reader.rest();
    return {
      columns: [
        { name: 'Principal', type: 'string' },
        { name: 'AccessType', type: 'string' },
        { name: 'Entity', type: 'string' },
        { name: 'IsAllowed', type: 'bool' },
      ],
      // Every valid token grants all rights here.
      rows: [[/principal\s*=\s*'([^']*)'/.exec(given)?.[1] ?? '', 'ingest', '', true]],
    };
  },
};
