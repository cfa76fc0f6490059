/** What the registry accepts at most: requests and schemas come from others. */

/** Of a request. */
export const MAX_BODY_BYTES = 1024 * 1024;
export const MAX_SUBJECT_LENGTH = 1024;
export const MAX_VERSIONS_OF_SUBJECT = 10_000;
/** Of all subjects, with those deleted softly. */
export const MAX_VERSIONS = 100_000;
/** Of the texts of all schemas. */
export const MAX_TOTAL_CHARACTERS = 256 * 1024 * 1024;
/** Of one schema. */
export const MAX_REFERENCES = 1000;
/** All schemas that one refers to, also indirectly. */
export const MAX_DEPENDENCIES = 1000;
export const MAX_DEPENDENCY_CHARACTERS = 8 * 1024 * 1024;
/** Pairs of types that one comparison looks at. */
export const MAX_COMPARED_PAIRS = 200_000;
/** Pairs of types in each other: as deep as a text can be, so that only recursive types reach it. */
export const MAX_TYPE_DEPTH = 500;
/** Of one comparison. */
export const MAX_DIFFERENCES = 100;
/** Of the comparisons with all versions of a subject. */
export const MAX_COMPARING_MS = 5_000;
/** Versions in which a schema that is no text is looked for by its meaning. */
export const MAX_SEARCHED_VERSIONS = 100;
export const MAX_ID = 2 ** 31 - 1;
