/** A client of the emulator's protocol that uses no SDK. */
import { randomUUID } from 'node:crypto';
import type { AnalyticsEmulator } from '../../../dev/analytics-emulator';

export interface Answer {
  readonly status: number;
  readonly code: string;
  readonly rows: unknown[][];
  /** The raw text: JavaScript would round its numbers. */
  readonly text: string;
}

export interface EmulatorResources {
  readonly container: string;
  readonly queue: string;
  readonly identity: string;
}

export class EmulatorClient {
  constructor(private readonly emulator: AnalyticsEmulator) {}

  async post(path: string, csl: string, properties: object = {}): Promise<Answer> {
    const response = await fetch(this.emulator.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ db: 'd', csl, properties }),
    });
    const text = await response.text();
    const body = JSON.parse(text) as { Tables?: { Rows: unknown[][] }[]; error?: { code: string } };
    return { status: response.status, code: body.error?.code ?? '', rows: body.Tables?.[0]?.Rows ?? [], text };
  }
  async command(text: string): Promise<Answer> {
    return await this.post('/v1/rest/mgmt', text);
  }
  async query(text: string): Promise<unknown[][]> {
    return (await this.post('/v1/rest/query', text)).rows;
  }

  async resources(): Promise<EmulatorResources> {
    const { rows } = await this.command('.get ingestion resources');
    const find = (type: string): string => String(rows.find(([name]) => name === type)?.[1]);
    const [[identity] = []] = (await this.command('.get kusto identity token')).rows;
    return {
      container: find('TempStorage'),
      queue: find('SecuredReadyForAggregationQueue'),
      identity: String(identity),
    };
  }

  async upload(name: string, data: string | Buffer): Promise<string> {
    const { container } = await this.resources();
    const [base = '', sas = ''] = container.split('?');
    const url = `${base}/${name}?${sas}`;
    const response = await fetch(url, {
      method: 'PUT',
      headers: { 'x-ms-blob-type': 'BlockBlob', 'x-ms-version': '2021-08-06' },
      body: data,
    });
    expect(response.status).toBe(201);
    return url;
  }

  async enqueue(message: object): Promise<void> {
    const { queue } = await this.resources();
    const text = Buffer.from(JSON.stringify(message)).toString('base64');
    const [base = '', sas = ''] = queue.split('?');
    const response = await fetch(`${base}/messages?${sas}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/xml' },
      body: `<QueueMessage><MessageText>${text}</MessageText></QueueMessage>`,
    });
    expect(response.status).toBe(201);
  }

  /** The source id of what is queued now. @param name Of the blob, after the id */
  async queue(
    table: string,
    data: string | Buffer,
    properties: Record<string, unknown>,
    name = '.data',
  ): Promise<string> {
    const id = randomUUID();
    const { identity } = await this.resources();
    await this.enqueue({
      Id: id,
      BlobPath: await this.upload(`${id}${name}`, data),
      RawDataSize: data.length,
      DatabaseName: 'd',
      TableName: table,
      FlushImmediately: true,
      RetainBlobOnSuccess: true,
      AdditionalProperties: { authorizationContext: identity, ...properties },
    });
    return id;
  }

  /** Queued ingestion into a table; resolves to the failure's code, or null. */
  async ingest(
    table: string,
    data: string | Buffer,
    properties: Record<string, unknown>,
    name?: string,
  ): Promise<string | null> {
    const id = await this.queue(table, data, properties, name);
    await this.emulator.ingestor.flush();
    const { rows } = await this.command(`.show ingestion failures | where IngestionSourcePath has '${id}'`);
    return rows.length === 0 ? null : String(rows[0]?.[10]);
  }
}
