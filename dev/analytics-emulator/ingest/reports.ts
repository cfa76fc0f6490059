/**
 * Reports the outcomes of ingestions: the failures table and the queues that clients may read. Source: analytics-sink
 * §5.8.
 */
import { randomUUID } from 'node:crypto';
import type { Database } from '../engine/database';
import type { Resources } from '../storage/resources';
import type { IngestionMessage } from './message';
import type { Outcome } from '../outcome';

export class Reports {
  constructor(
    private readonly database: Database,
    private readonly resources: Resources,
  ) {}

  async write(message: IngestionMessage, outcome: Outcome): Promise<void> {
    if (message.statusPlace && message.reportMethod !== 0)
      await this.resources.statuses.update(message.statusPlace, outcome);
    if (outcome.status === 'Failed') await this.failure(message, outcome.code, outcome.details);
    else if (message.reportLevel === 2 && message.reportMethod !== 1)
      await this.resources.succeeded.sendMessage(
        encoded({ ...common(message, randomUUID()), SucceededOn: new Date().toISOString() }),
      );
  }

  private async failure(message: IngestionMessage, code: string, details: string): Promise<void> {
    const report = common(message, randomUUID());
    const failedOn = new Date().toISOString();
    await this.database.exclusively(
      async (connection) =>
        await connection.run(
          `INSERT INTO __emulator.failures VALUES ($1, $2, $3, CAST($4 AS TIMESTAMP_NS), $5, $6, 'Permanent', $7, 'DataIngestPull',
             false, $8, 'aadapp=emulator', '', $9, 1, false)`,
          [
            report.OperationId,
            message.database,
            message.table,
            failedOn,
            report.IngestionSourcePath,
            details,
            report.RootActivityId,
            code,
            `Format=${message.format}`,
          ],
        ),
    );
    if (message.reportLevel !== 1 && message.reportMethod !== 1)
      await this.resources.failed.sendMessage(
        encoded({
          ...report,
          FailedOn: failedOn,
          Details: details,
          ErrorCode: code,
          FailureStatus: 'Permanent',
          OriginatesFromUpdatePolicy: false,
          ShouldRetry: false,
        }),
      );
  }
}

function common(
  message: IngestionMessage,
  operation: string,
): Record<string, string> & {
  OperationId: string;
  IngestionSourcePath: string;
  RootActivityId: string;
} {
  return {
    OperationId: operation,
    Database: message.database,
    Table: message.table,
    IngestionSourceId: message.id,
    // Stored without the SAS.
    IngestionSourcePath: message.blobPath.split('?')[0] ?? '',
    RootActivityId: randomUUID(),
  };
}

function encoded(report: object): string {
  return Buffer.from(JSON.stringify(report)).toString('base64');
}
