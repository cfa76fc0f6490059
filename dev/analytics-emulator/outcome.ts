/** The outcome of ingesting one blob. */
export type Outcome =
  | { readonly status: 'Succeeded'; readonly rows: number }
  | { readonly status: 'Skipped'; readonly code: string; readonly details: string }
  | { readonly status: 'Failed'; readonly code: string; readonly details: string }
  /** Retriable; no rows were ingested. */
  | { readonly status: 'Retry'; readonly code: string; readonly details: string };
