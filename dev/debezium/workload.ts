/** Statements that follow from a seed alone. */
import type { Seeded } from '../../test/helpers/seeded';
import type { DefinitionChange } from './definition-changes';
import { generatedTypes, type GeneratedType } from './generated-types';

interface Column {
  name: string;
  readonly type: GeneratedType;
  readonly isArray: boolean;
  required: boolean;
  /** Part of the primary key, after `id`. */
  inKey: boolean;
}

type Identity = 'default' | 'full' | 'nothing' | 'index';

interface Table {
  schema: string;
  name: string;
  readonly columns: Column[];
  readonly identity: Identity;
  hasKey: boolean;
  /** Values of the column `id`. */
  ids: number[];
  nextId: number;
}

const ident = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const SCHEMAS = ['public', 'Odd Schéma', 'other-schema', 'select'];
const TABLE_NAMES = ['t', 'Tä.b le', 'order', 'UPPER', 'with-dash', 'x$y'];

export const PREPARATION = `
  CREATE EXTENSION hstore; CREATE EXTENSION citext; CREATE EXTENSION ltree; CREATE EXTENSION isn;
  CREATE TYPE mood AS ENUM ('sad', 'ok', 'very "happy", yes');
  CREATE DOMAIN price AS numeric(8,3);
  ${SCHEMAS.slice(1)
    .map((schema) => `CREATE SCHEMA ${ident(schema)};`)
    .join(' ')}`;

/** Types whose values are the same in Debezium's snapshot and stream. */
const KEY_TYPES = /^(?:bool|int2|int8|numeric52|numeric|varchar|char3|citext|uuid|inet|timestamptz0|interval|bit12)$/;

/** Debezium's task fails for an unsent value of a column that is NOT NULL. */
const isRequirable = ({ external, required }: GeneratedType): boolean => !external && required?.length !== 0;

export class Workload {
  private readonly types: readonly GeneratedType[];
  private readonly tables: Table[] = [];
  private counter = 0;
  /** By the last `define`; null where that changed no table that existed before. */
  defined: DefinitionChange | null = null;

  constructor(
    private readonly random: Seeded,
    nanoseconds: boolean,
  ) {
    this.types = generatedTypes(nanoseconds);
  }

  /** Creates the tables: every type is a column of one, and so is an array of it. */
  create(): string[] {
    const { random } = this;
    const columns = this.types.flatMap((type) => [
      this.column(type, false),
      ...(type.noArray ? [] : [this.column(type, true)]),
    ]);
    for (let i = columns.length - 1; i > 0; i--) {
      const j = random.below(i + 1);
      [columns[i], columns[j]] = [columns[j] as Column, columns[i] as Column];
    }
    const statements: string[] = [];
    const identities: readonly Identity[] = ['default', 'full', 'nothing', 'index'];
    for (let i = 0; columns.length > 0; i++)
      statements.push(...this.createTable(columns.splice(0, 10), identities[i] ?? random.one(['default', 'full'])));
    return statements;
  }

  private column(type: GeneratedType, isArray: boolean): Column {
    const required = !isArray && isRequirable(type) && this.random.chance(0.3);
    return { name: `c${this.counter++}_${type.tag}${isArray ? '_array' : ''}`, type, isArray, required, inKey: false };
  }

  private createTable(columns: Column[], identity: Identity): string[] {
    const { random } = this;
    const table: Table = {
      schema: random.chance(0.7) ? 'public' : random.one(SCHEMAS),
      name: `${random.one(TABLE_NAMES)}${this.counter++}`,
      columns,
      identity,
      hasKey: identity !== 'nothing' && (identity === 'default' || random.chance(0.5)),
      ids: [],
      nextId: 1,
    };
    this.tables.push(table);
    const name = this.nameOf(table);
    if (identity === 'default' || identity === 'full')
      for (const column of columns)
        column.inKey = !column.isArray && column.required && KEY_TYPES.test(column.type.tag) && random.chance(0.4);
    const key = table.hasKey ? `, PRIMARY KEY (${this.keyOf(table)})` : '';
    const statements = [
      `CREATE TABLE ${name} (id integer NOT NULL, code text NOT NULL${columns.map((one) => `, ${this.definition(one)}`).join('')}${key})`,
    ];
    for (const { name: column, type, isArray } of columns)
      if (type.external && !isArray) statements.push(`ALTER TABLE ${name} ALTER ${ident(column)} SET STORAGE EXTERNAL`);
    if (identity === 'index') {
      const index = ident(`index_${this.counter++}`);
      statements.push(
        `CREATE UNIQUE INDEX ${index} ON ${name} (code)`,
        `ALTER TABLE ${name} REPLICA IDENTITY USING INDEX ${index}`,
      );
    } else if (identity !== 'default')
      statements.push(`ALTER TABLE ${name} REPLICA IDENTITY ${identity.toUpperCase()}`);
    return statements;
  }

  private keyOf({ columns }: Table): string {
    return ['id', ...columns.filter(({ inKey }) => inKey).map(({ name }) => ident(name))].join(', ');
  }

  private nameOf({ schema, name }: Table): string {
    return `${ident(schema)}.${ident(name)}`;
  }

  private definition({ name, type, isArray, required }: Column): string {
    const initial = !isArray && this.random.chance(0.3) ? ` DEFAULT ${this.defaultOf(type)}` : '';
    return `${ident(name)} ${type.sql}${isArray ? '[]' : ''}${required ? ' NOT NULL' : ''}${initial}`;
  }

  private defaultOf(type: GeneratedType): string {
    return this.random.one(type.defaults ?? type.values.slice(0, 1));
  }

  private value({ type, isArray, required }: Column): string {
    const { random } = this;
    if (!required && random.chance(0.15)) return 'NULL';
    const values = required ? (type.required ?? type.values) : type.values;
    if (!isArray) return random.one(values);
    if (type.tag === 'int4' && random.chance(0.1)) return "'{{1,2},{3,4}}'";
    const items = Array.from({ length: random.below(4) }, () => (random.chance(0.2) ? 'NULL' : random.one(values)));
    return `ARRAY[${items.join(', ')}]::${type.sql}[]`;
  }

  private row(table: Table, id: number): string {
    return `(${[id, `'code ${id}'`, ...table.columns.map((column) => this.value(column))].join(', ')})`;
  }

  private insert(table: Table, count: number): string {
    const rows: string[] = [];
    for (let i = 0; i < count; i++) {
      const id = table.nextId++;
      table.ids.push(id);
      rows.push(this.row(table, id));
    }
    const names = ['id', 'code', ...table.columns.map(({ name }) => ident(name))].join(', ');
    return `INSERT INTO ${this.nameOf(table)} (${names}) VALUES ${rows.join(', ')}`;
  }

  /** Rows that a snapshot reads. */
  fill(rows: number): string[] {
    return this.tables.map((table) => this.insert(table, rows));
  }

  /** One statement that changes rows. */
  change(): string {
    const { random } = this;
    const table = random.one(this.tables);
    const name = this.nameOf(table);
    const writable = table.hasKey || table.identity === 'full' || table.identity === 'index';
    if (table.ids.length < 5 || !writable || table.identity === 'nothing')
      return this.insert(table, 1 + random.below(5));
    const some = Array.from({ length: 1 + random.below(5) }, () => random.one(table.ids));
    const where = `WHERE id IN (${some.join(', ')})`;
    switch (random.below(10)) {
      case 0:
      case 1:
      case 2:
        return this.insert(table, 1 + random.below(5));
      case 3:
        table.ids = table.ids.filter((id) => !some.includes(id));
        return `DELETE FROM ${name} ${where}`;
      case 4: {
        const from = some[0] as number;
        const to = table.nextId++;
        table.ids = [...table.ids.filter((id) => id !== from), to];
        const also = random.chance(0.3) ? `, code = 'new ${to}'` : '';
        return `UPDATE ${name} SET id = ${to}${also} WHERE id = ${from}`;
      }
      case 5:
        return `UPDATE ${name} SET code = 'changed ' || id || '-${this.counter++}' ${where}`;
      default: {
        const changed = table.columns.filter(() => random.chance(0.3)).slice(0, 5);
        if (changed.length === 0) return `UPDATE ${name} SET code = code ${where}`;
        const assignments = changed.map((column) => `${ident(column.name)} = ${this.value(column)}`);
        return `UPDATE ${name} SET ${assignments.join(', ')} ${where}`;
      }
    }
  }

  /** Many rows of one transaction: one statement for each. */
  bulk(rows: number): string[] {
    const { random } = this;
    const writable = this.tables.filter(({ hasKey, identity }) => hasKey && identity !== 'nothing');
    const table = random.one(writable);
    const inserts: string[] = [];
    for (let left = rows; left > 0; left -= 50) inserts.push(this.insert(table, Math.min(50, left)));
    return [...inserts, `UPDATE ${this.nameOf(table)} SET code = code || '!'`];
  }

  truncate(): string {
    const { random, tables } = this;
    const truncated = new Set(Array.from({ length: 1 + random.below(3) }, () => random.one(tables)));
    for (const table of truncated) table.ids = [];
    return `TRUNCATE ${[...truncated].map((table) => this.nameOf(table)).join(', ')}`;
  }

  /** A new label, which rows have from now on. */
  addLabel(): string {
    const label = `label ${this.counter++}`;
    for (const { type } of [...this.tables.flatMap(({ columns }) => columns), ...this.types.map((type) => ({ type }))])
      if (type.tag === 'mood') (type.values as string[]).push(`'${label}'`);
    return `ALTER TYPE mood ADD VALUE '${label}'`;
  }

  /**
   * A change of a definition; empty where none is possible.
   * @param inTransaction other statements of the transaction precede it: tables keep their names
   */
  define(inTransaction = false): string[] {
    const { random } = this;
    const table = random.one(this.tables);
    const name = this.nameOf(table);
    const free = table.columns.filter(({ inKey }) => !inKey);
    const column = free.length > 3 ? random.one(free) : null;
    const changes = (columns: readonly Column[], more: { key?: true; isSilent?: true } = {}): void => {
      const names = columns.map((one) => one.name);
      this.defined = { schema: table.schema, table: table.name, columns: names, key: false, isSilent: false, ...more };
    };
    this.defined = null;
    if (column !== null) changes([column]);
    switch (random.below(11)) {
      case 0: {
        const type = random.one(this.types);
        const added = { ...this.column(type, !type.noArray && random.chance(0.3)), required: false };
        table.columns.push(added);
        changes([added]);
        return [`ALTER TABLE ${name} ADD COLUMN ${this.definition(added)}`];
      }
      case 1:
        if (column === null) return [];
        table.columns.splice(table.columns.indexOf(column), 1);
        return [`ALTER TABLE ${name} DROP COLUMN ${ident(column.name)}`];
      case 2: {
        if (column === null) return [];
        const old = column.name;
        column.name = `r${this.counter++}_${old.slice(old.indexOf('_') + 1)}`;
        changes([{ ...column, name: old }, column]);
        return [`ALTER TABLE ${name} RENAME COLUMN ${ident(old)} TO ${ident(column.name)}`];
      }
      case 3: {
        if (inTransaction) return [];
        this.defined = null;
        table.name = `${table.name.slice(0, 12)}_${this.counter++}`;
        return [`ALTER TABLE ${name} RENAME TO ${ident(table.name)}`];
      }
      case 4: {
        // Keyed tables without a key cannot be changed with the default identity.
        if (table.identity !== 'full') return [];
        table.hasKey = !table.hasKey;
        changes([], { key: true, isSilent: true });
        const constraint = ident(`key_${table.schema}_${this.counter++}`);
        if (table.hasKey)
          return [`ALTER TABLE ${name} ADD CONSTRAINT ${constraint} PRIMARY KEY (${this.keyOf(table)})`];
        return [
          `DO $$ DECLARE found text; BEGIN
             SELECT conname INTO found FROM pg_constraint WHERE conrelid = '${name.replaceAll("'", "''")}'::regclass AND contype = 'p';
             EXECUTE format('ALTER TABLE ${name.replaceAll("'", "''")} DROP CONSTRAINT %I', found);
           END $$`,
        ];
      }
      case 5:
        if (column === null || column.isArray || !isRequirable(column.type) || table.identity === 'nothing') return [];
        column.required = true;
        return [
          `UPDATE ${name} SET ${ident(column.name)} = ${(column.type.required ?? column.type.values)[0]}`,
          `ALTER TABLE ${name} ALTER ${ident(column.name)} SET NOT NULL`,
        ];
      case 6:
        if (column === null) return [];
        column.required = false;
        return [`ALTER TABLE ${name} ALTER ${ident(column.name)} DROP NOT NULL`];
      case 7:
        if (column === null || column.isArray) return [];
        changes([column], { isSilent: true });
        return [`ALTER TABLE ${name} ALTER ${ident(column.name)} SET DEFAULT ${this.defaultOf(column.type)}`];
      case 8:
        if (column === null) return [];
        changes([column], { isSilent: true });
        return [`ALTER TABLE ${name} ALTER ${ident(column.name)} DROP DEFAULT`];
      case 9: {
        const wider: Readonly<Record<string, string>> = {
          int4: 'int8',
          int2: 'int4',
          varchar: 'text',
          float4: 'float8',
          numeric52: 'numeric',
          time3: 'time',
        };
        const to = column === null ? undefined : wider[column.type.tag];
        const type = this.types.find(({ tag }) => tag === to);
        if (column === null || column.isArray || type === undefined) return [];
        const old = column.name;
        const changed = {
          ...column,
          name: `w${this.counter++}_${type.tag}`,
          type: {
            ...type,
            values: column.type.values,
            required: column.type.required ?? column.type.values,
            external: false,
          },
        };
        table.columns.splice(table.columns.indexOf(column), 1, changed);
        changes([column, changed]);
        return [
          `ALTER TABLE ${name} ALTER ${ident(old)} DROP DEFAULT, ALTER ${ident(old)} TYPE ${type.sql}`,
          `ALTER TABLE ${name} RENAME ${ident(old)} TO ${ident(changed.name)}`,
        ];
      }
      default:
        this.defined = null;
        return this.createTable(
          Array.from({ length: 4 }, () => this.column(random.one(this.types), false)),
          random.one(['default', 'full']),
        );
    }
  }
}
