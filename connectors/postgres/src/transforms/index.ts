export { byLogicalTableRouter } from './by-logical-table-router';
export { extractNewRecordState } from './extract-new-record-state';
