export { extractNewRecordState } from './extract-new-record-state';
