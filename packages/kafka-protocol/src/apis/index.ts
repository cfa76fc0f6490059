/** All declared APIs, by key. */
import type { Api } from '../layout';
import * as connection from './connection';
import * as data from './data';
import * as groups from './groups';
import * as inspection from './inspection';
import * as topics from './topics';
import * as transactions from './transactions';

export const APIS: ReadonlyMap<number, Api> = new Map(
  [data, connection, topics, groups, transactions, inspection]
    .flatMap((area) => Object.values(area) as Api[])
    .sort((a, b) => a.key - b.key)
    .map((api) => [api.key, api]),
);
