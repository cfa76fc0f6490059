/** The result of a function with a URL, with all fields. */
export interface FunctionResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function textResponse(
  statusCode: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): FunctionResponse {
  return { statusCode, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers }, body };
}

export function jsonResponse(statusCode: number, value: unknown): FunctionResponse {
  return { statusCode, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) };
}
