/** Connectors as files describe them, what their validation found, and their health. */
export { actionCommands } from '../connectors/action-commands';
export { type Health, healthOf, isMild, isOfHealth, isOfWorker, NOT_IN_GROUP } from '../connectors/health';
export { cureOf } from '../connectors/problems';
export { type FieldErrors, foundIn, type Validated } from '../connectors/validate-configs';
export type { ConnectorDocument } from '../documents/connector-document';
export { readDocuments, readUsableDocuments } from '../documents/read-documents';
export { sideBySide } from '../rest/clients';
