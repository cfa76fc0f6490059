/** How the ingestion of one blob ended. */
export type Outcome =
  | { readonly status: 'Succeeded'; readonly rows: number }
  | { readonly status: 'Skipped'; readonly code: string; readonly details: string }
  | { readonly status: 'Failed'; readonly code: string; readonly details: string }
  /** Worth another try; nothing was loaded. */
  | { readonly status: 'Retry'; readonly code: string; readonly details: string };
