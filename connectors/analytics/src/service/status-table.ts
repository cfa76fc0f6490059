/**
 * Reads and inserts entities of the service's status table, with the SAS that the service provides. Source:
 * analytics-sink §5.8.
 */
import { parseJson, type Http } from './http';
import { requireStorage } from './storage';

const TABLE_VERSION = '2019-02-02';
const JSON_TYPE = 'application/json;odata=nometadata';
const CONFLICT = 409;

interface IngestionStatus {
  readonly Status?: string;
  readonly ErrorCode?: string;
  readonly Details?: string;
}

/**
 * Leaves an existing entity unchanged: it belongs to an earlier attempt, whose message may have arrived.
 *
 * @throws ServiceError
 */
export async function insertStatus(
  http: Http,
  table: string,
  id: string,
  fields: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  await requireStorage(
    http,
    {
      method: 'POST',
      url: table,
      headers: {
        Accept: JSON_TYPE,
        'Content-Type': JSON_TYPE,
        Prefer: 'return-no-content',
        'x-ms-version': TABLE_VERSION,
      },
      body: JSON.stringify({ PartitionKey: id, RowKey: id, IngestionSourceId: id, Status: 'Pending', ...fields }),
      signal,
    },
    [CONFLICT],
  );
}

/** @throws ServiceError */
export async function readStatus(http: Http, table: string, id: string, signal: AbortSignal): Promise<IngestionStatus> {
  const [base = '', sas = ''] = table.split('?');
  const url = `${base}(PartitionKey='${id}',RowKey='${id}')?${sas}`;
  const headers = { Accept: JSON_TYPE, 'x-ms-version': TABLE_VERSION };
  const { text } = await requireStorage(http, { method: 'GET', url, headers, signal });
  return parseJson(text, url) as IngestionStatus;
}
