/** One blob into its table: checked, downloaded, loaded. Source: analytics-sink §5.12, §7.4. */
import type { Database } from '../engine/database';
import type { Faults } from '../faults';
import type { ExpiringTokens } from '../expiring-tokens';
import { asKustoError, KustoError } from '../kusto-error';
import type { Loader } from './loader';
import type { IngestionMessage } from './message';
import type { Outcome } from '../outcome';

export interface IngestBlobContext {
  readonly database: Database;
  readonly loader: Loader;
  readonly faults: Faults;
  readonly identities: ExpiringTokens;
}

export async function ingestBlob(context: IngestBlobContext, message: IngestionMessage): Promise<Outcome> {
  try {
    if (!context.identities.isValid(message.identityToken))
      throw new KustoError(
        'BadRequest_InvalidKustoIdentityToken',
        'The identity token is not one of this service, or it has expired',
      );
    const fault = context.faults.take('ingestor', `${message.database}/${message.table}`);
    if (fault)
      throw new KustoError(fault.code ?? 'General_InternalServerError', 'A fault that was asked for', {
        permanent: fault.code !== undefined,
      });
    const known = await alreadyIngested(context.database, message);
    if (known !== null)
      return {
        status: 'Skipped',
        code: 'IngestIfNotExists',
        details: `Tag 'ingest-by:${known}' is in the table already`,
      };
    const rows = await context.loader.load({
      database: message.database,
      table: message.table,
      format: message.format,
      data: await download(message.blobPath),
      properties: {
        ...(message.mapping && { mapping: message.mapping }),
        ...(message.mappingReference && { mappingReference: message.mappingReference }),
        ...(message.mappingKind && { mappingKind: message.mappingKind }),
        ignoreFirstRecord: message.ignoreFirstRecord,
        zipPattern: message.zipPattern,
      },
      source: { id: message.id, path: message.blobPath.split('?')[0] ?? '', tags: message.tags },
    });
    if (!message.retainBlob) await fetch(message.blobPath, { method: 'DELETE' }).catch(() => undefined);
    return { status: 'Succeeded', rows };
  } catch (error) {
    const { code, message: details, permanent } = asKustoError(error);
    return { status: permanent ? 'Failed' : 'Retry', code, details };
  }
}

async function alreadyIngested(database: Database, message: IngestionMessage): Promise<string | null> {
  for (const value of message.ingestIfNotExists) {
    const [[count] = []] = await database.rows(
      'SELECT count(*) FROM __emulator.ingestions WHERE lower(db) = lower($1) AND tbl = $2 AND contains(tags, $3)',
      [message.database, message.table, JSON.stringify(`ingest-by:${value}`)],
    );
    if (Number(count) > 0) return value;
  }
  return null;
}

async function download(url: string): Promise<Buffer> {
  const response = await fetch(url).catch((error: unknown) => {
    throw new KustoError('Download_Failed', String(error), { permanent: false });
  });
  if (response.ok) return Buffer.from(await response.arrayBuffer());
  if (response.status === 403)
    throw new KustoError('Download_Forbidden', 'The storage service refuses the SAS of the blob');
  if (response.status === 404) throw new KustoError('Download_SourceNotFound', 'There is no such blob');
  throw new KustoError('Download_Failed', `The storage service answers ${response.status}`, { permanent: false });
}
