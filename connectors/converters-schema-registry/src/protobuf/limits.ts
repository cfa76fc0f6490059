/** Bounds of what a registered schema may hold, and of what a record may make of it. */

/** Characters of one file. */
export const MOST_CHARACTERS = 1_000_000;
/** Characters of a name. */
export const MOST_NAME = 500;
/** Files that a schema imports, also indirectly. */
export const MOST_FILES = 500;
/** Messages, enums, fields and values of enums in all files. */
export const MOST_DECLARATIONS = 50_000;
/** Of all fields' enums: a schema lists the values of its enum for each field. */
export const MOST_ENUM_VALUES = 500_000;
/** Of messages in messages, and of options in options. */
export const MOST_NESTING = 64;
/** Of values in values, as in other implementations of Protobuf. */
export const MOST_DEPTH = 100;
/** Members of all structs, lists and maps that one record may become. */
export const MOST_MEMBERS = 10_000_000;
