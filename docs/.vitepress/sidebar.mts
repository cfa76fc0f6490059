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
    ['Installation', '/installation'],
  ]),
  section('Tutorial', [['First pipeline in ten minutes', '/tutorial/first-pipeline']]),
  section('How-to', [
    ['Move from Java and Debezium', '/how-to/move-from-java'],
    ['Run Java plugins in jars', '/how-to/java-plugins'],
    ['Use Avro with a schema registry', '/how-to/schema-registry'],
    ['Deploy: Kubernetes, systemd, Compose', '/deployment'],
    ['Operate workers', '/operations'],
    ['Use the console', '/console'],
    ['Size workers and servers', '/how-to/sizing'],
    ['Performance', '/performance'],
    ['Restart and upgrade a group', '/operations#rolling-restart-and-upgrade'],
    ['What to do about an alert', '/how-to/alerts'],
    ['Monitor replication slots', '/how-to/replication-slots'],
    ['Back up, restore, disasters', '/how-to/backup-and-restore'],
    ['Write a connector', '/writing-a-connector'],
    ['Write a plugin in TypeScript', '/how-to/write-a-plugin-in-typescript'],
    ['Install metrics, alerts, dashboard', '/deploy'],
  ]),
  section('Reference', [
    ['Command line', '/cli'],
    ['Errors', '/errors'],
    ['Metrics', '/metrics'],
    ['Compatibility', '/compatibility'],
    ['Worker settings', '/reference/worker-settings'],
    ['Keys of every connector', '/reference/connector-keys'],
    ['PostgreSQL source: guide', '/connectors/postgres'],
    ['PostgreSQL source: every key', '/reference/postgres-source'],
    ['PostgreSQL source: types', '/connectors/postgres/types'],
    ['File source and sink: guide', '/connectors/file'],
    ['File source and sink: every key', '/reference/file-connectors'],
    ['Analytics sink: guide', '/connectors/analytics'],
    ['Analytics sink: every key', '/reference/analytics-sink'],
    ['Debezium’s transformations: guide', '/connectors/transforms-debezium'],
    ['Transformations, converters', '/reference/transformations'],
    ['Converters with a schema registry', '/reference/schema-registry-converters'],
    ['Native packages', '/installation#native-packages'],
    ['Changelog', '/changelog'],
  ]),
  section('Explanation', [
    ['How a record flows', '/how-a-record-flows'],
    ['Architecture', '/architecture'],
    ['Decision records', '/decisions/'],
    ['Contributing', '/contributing'],
    ['Security', '/security'],
  ]),
];
