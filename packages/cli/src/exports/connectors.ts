/** Connectors as files describe them, and what their validation found. */
export { type FieldErrors, foundIn, type Validated } from '../connectors/validate-configs';
export type { ConnectorDocument } from '../documents/connector-document';
export { readDocuments, readUsableDocuments } from '../documents/read-documents';
export { sideBySide } from '../rest/clients';
