/** The official SDK logs in with an application's secret and ingests a row: `node sdk-login.mjs CLUSTER_URL FILE`. */
import { Client, KustoConnectionStringBuilder } from 'azure-kusto-data';
import { IngestClient, IngestionProperties } from 'azure-kusto-ingest';

const [url, file] = process.argv.slice(2);
const connection = () =>
  KustoConnectionStringBuilder.withAadApplicationKeyAuthentication(url, 'app', process.env.APP_SECRET, 'adfs');
const client = new Client(connection());
await client.executeMgmt('demo', '.create table L (a:string, b:int)');
const ingestion = new IngestClient(
  connection(),
  new IngestionProperties({ database: 'demo', table: 'L', format: 'csv' }),
);
await ingestion.ingestFromFile(file);
ingestion.close();
for (;;) {
  const { primaryResults } = await client.executeQuery('demo', 'L');
  const rows = [...primaryResults[0].rows()].map((row) => [...row.values()]);
  if (rows.length > 0) {
    console.log(JSON.stringify(rows));
    break;
  }
  await new Promise((resolve) => setTimeout(resolve, 100));
}
client.close();
