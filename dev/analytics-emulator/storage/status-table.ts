/**
 * The status table of ingestions. Clients insert an entity and refer to it in their message; the service updates it.
 * Source: analytics-sink §5.8.
 */
import { AzureNamedKeyCredential, generateTableSas, TableClient } from '@azure/data-tables';
import type { Outcome } from '../outcome';
import type { RunningAzurite } from './azurite';

const NAME = 'IngestionsStatus';

/** Status of an entity. */
export interface StatusPlace {
  readonly partitionKey: string;
  readonly rowKey: string;
}

export class StatusTable {
  private readonly credential: AzureNamedKeyCredential;
  private readonly client: TableClient;

  constructor(
    azurite: RunningAzurite,
    private readonly publicUrl: string,
  ) {
    this.credential = new AzureNamedKeyCredential(azurite.accountName, azurite.accountKey);
    this.client = new TableClient(azurite.tableUrl, NAME, this.credential, { allowInsecureConnection: true });
  }

  async create(): Promise<void> {
    await this.client.createTable();
  }

  /** URL with a SAS to insert, read and update entities. */
  url(validity: { readonly startsOn: Date; readonly expiresOn: Date }): string {
    const permissions = { query: true, add: true, update: true, delete: false };
    return `${this.publicUrl}/${NAME}?${generateTableSas(NAME, this.credential, { permissions, ...validity })}`;
  }

  async update({ partitionKey, rowKey }: StatusPlace, outcome: Outcome): Promise<void> {
    await this.client.updateEntity(
      {
        partitionKey,
        rowKey,
        Status: outcome.status,
        UpdatedOn: new Date(),
        ...('code' in outcome && { ErrorCode: outcome.code, Details: outcome.details }),
        ...(outcome.status === 'Failed' && { FailureStatus: 'Permanent' }),
      },
      'Merge',
    );
  }
}
