/** What the registry answers to a request that it refuses. */

export class RegistryError extends Error {
  /**
   * @param status of HTTP
   * @param code Confluent's; it begins with the status unless it is the status
   */
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** A text that is not a schema, or one that the registry cannot judge within its bounds. */
export class InvalidSchema extends Error {}

const refusal =
  (status: number, code: number) =>
  (message: string): RegistryError =>
    new RegistryError(status, code, message);

export const badRequest = refusal(400, 400);
const subjectMissing = refusal(404, 40401);
const versionMissing = refusal(404, 40402);
const schemaMissing = refusal(404, 40403);
const subjectSoftDeleted = refusal(404, 40404);
const subjectNotSoftDeleted = refusal(404, 40405);
const versionSoftDeleted = refusal(404, 40406);
const versionNotSoftDeleted = refusal(404, 40407);
const subjectConfigMissing = refusal(404, 40408);
const subjectModeMissing = refusal(404, 40409);
export const incompatible = refusal(409, 409);
export const invalidSchema = refusal(422, 42201);
const invalidVersion = refusal(422, 42202);
const invalidLevel = refusal(422, 42203);
const invalidMode = refusal(422, 42204);
export const notPermitted = refusal(422, 42205);
export const referenceExists = refusal(422, 42206);
const invalidSubject = refusal(422, 42208);
export const storeFailed = refusal(500, 50001);

export const errors = {
  subjectMissing: (subject: string) => subjectMissing(`Subject '${subject}' not found.`),
  versionMissing: (version: number) => versionMissing(`Version ${version} not found.`),
  schemaMissing: () => schemaMissing('Schema not found'),
  idMissing: (id: number) => schemaMissing(`Schema ${id} not found`),
  subjectSoftDeleted: (subject: string) =>
    subjectSoftDeleted(`Subject '${subject}' was soft deleted. Set permanent=true to delete permanently`),
  subjectNotSoftDeleted: (subject: string) =>
    subjectNotSoftDeleted(`Subject '${subject}' was not deleted first before being permanently deleted`),
  versionSoftDeleted: (subject: string, version: number) =>
    versionSoftDeleted(
      `Subject '${subject}' Version ${version} was soft deleted. Set permanent=true to delete permanently`,
    ),
  versionNotSoftDeleted: (subject: string, version: number) =>
    versionNotSoftDeleted(
      `Subject '${subject}' Version ${version} was not deleted first before being permanently deleted`,
    ),
  subjectConfigMissing: (subject: string) =>
    subjectConfigMissing(`Subject '${subject}' does not have subject-level compatibility configured`),
  subjectModeMissing: (subject: string) =>
    subjectModeMissing(`Subject '${subject}' does not have subject-level mode configured`),
  invalidVersion: (version: string) =>
    invalidVersion(
      `The specified version '${version}' is not a valid version id. Allowed values are between [1, 2^31-1] and the string "latest"`,
    ),
  invalidLevel: () =>
    invalidLevel(
      'Invalid compatibility level. Valid values are none, backward, forward, full, backward_transitive, forward_transitive, and full_transitive',
    ),
  invalidMode: () => invalidMode('Invalid mode. Valid values are READWRITE, READONLY, READONLY_OVERRIDE, and IMPORT'),
  invalidSubject: (subject: string) => invalidSubject(`The specified subject '${subject}' is not a valid.`),
} as const;
