/** The order in which a reader needs the pages. */
import type { DefaultTheme } from 'vitepress';

type Pages = readonly (readonly [text: string, link: string])[];
const section = (text: string, pages: Pages, collapsed?: boolean): DefaultTheme.SidebarItem => ({
  text,
  ...(collapsed !== undefined && { collapsed }),
  items: pages.map(([title, link]) => ({ text: title, link })),
});

export const SIDEBAR: DefaultTheme.SidebarItem[] = [
  section('Start', [
    ['What Millrace is', '/'],
    ['README', '/readme'],
  ]),
  section('How-to', [
    ['Operate workers', '/operations'],
    ['Write a connector', '/writing-a-connector'],
    ['Install metrics, alerts, dashboard', '/deploy'],
  ]),
  section('Reference', [
    ['Command line', '/cli'],
    ['Errors', '/errors'],
    ['Metrics', '/metrics'],
    ['Compatibility', '/compatibility'],
    ['PostgreSQL source', '/connectors/postgres'],
    ['File source and sink', '/connectors/file'],
    ['Analytics sink', '/connectors/analytics'],
    ['Native packages', '/installation'],
    ['Changelog', '/changelog'],
  ]),
  section('Explanation', [
    ['Architecture', '/architecture'],
    ['Decision records', '/decisions/'],
    ['Contracts', '/contracts/'],
    ['Contributing', '/contributing'],
  ]),
];
