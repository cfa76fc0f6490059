/** JSON as Java reads it, with exact numbers. */
export { exactInteger, exactNumber, JsonNumber, longNumber, parseExact } from '../exact-json';
export { findStringProblem, JsonParser, MAX_DEPTH, MAX_NUMBER_LENGTH, type Problem } from '../json-parser';
