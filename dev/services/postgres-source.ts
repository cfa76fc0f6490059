/**
 * Config of a PostgreSQL source through pgoutput for the server at `url`, whose role and password it takes from there.
 *
 * @param settings override the config, and name at least `topic.prefix`
 */
export function postgresSource(url: string, settings: Readonly<Record<string, string>>): Record<string, string> {
  const { hostname, port, username, password, pathname } = new URL(url);
  return {
    'connector.class': 'io.debezium.connector.postgresql.PostgresConnector',
    'tasks.max': '1',
    'database.hostname': hostname,
    'database.port': port || '5432',
    'database.user': decodeURIComponent(username),
    'database.password': decodeURIComponent(password),
    'database.dbname': pathname.slice(1) || 'postgres',
    'plugin.name': 'pgoutput',
    ...settings,
  };
}
