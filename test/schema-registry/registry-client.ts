/** Requests to a registry. */

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export type Ask = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** Texts that are not JSON are returned as they are. */
export function asking(url: string): Ask {
  return async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      ...(body === undefined
        ? {}
        : {
            headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
            body: typeof body === 'string' ? body : JSON.stringify(body),
          }),
    });
    const text = await response.text();
    try {
      return { status: response.status, body: JSON.parse(text) as unknown };
    } catch {
      return { status: response.status, body: text };
    }
  };
}

export const record = (name: string, ...fields: readonly object[]): string =>
  JSON.stringify({ type: 'record', name, fields });
