/** Deleting versions and subjects: softly first, then for good. */
import { errors, referenceExists } from '../registry-error';
import type { StoredSchema } from './log-records';
import type { RegistryState } from './registry-state';
import { type Change, checkWritable, type Write } from './settings';

export class Deletions {
  constructor(
    private readonly state: RegistryState,
    private readonly change: Change,
    private readonly write: Write,
  ) {}

  /** Returns the deleted versions. Throws 40401, 40404, 40405 or 42206. */
  async deleteSubject(subject: string, permanent: boolean): Promise<readonly number[]> {
    return await this.change(async () => {
      const all = [...this.state.versions(subject)];
      const live = all.filter((version) => !version.deleted);
      if (all.length === 0) throw errors.subjectMissing(subject);
      checkWritable(this.state, subject);
      if (permanent) {
        if (live.length > 0) throw errors.subjectNotSoftDeleted(subject);
        this.checkReferences(all);
        await this.remove(all);
        return all.map(({ version }) => version);
      }
      const newest = live.at(-1);
      if (newest === undefined) throw errors.subjectSoftDeleted(subject);
      this.checkReferences(live);
      await this.write({ kind: 'subject deleted', subject, version: newest.version });
      await this.removeSettings(subject);
      return live.map(({ version }) => version);
    });
  }

  /** Throws 40401, 40402, 40406, 40407 or 42206. */
  async deleteVersion(subject: string, name: number | 'latest', permanent: boolean): Promise<number> {
    return await this.change(async () => {
      const all = this.state.versions(subject);
      if (all.length === 0) throw errors.subjectMissing(subject);
      const schema =
        name === 'latest' ? all.findLast((one) => permanent || !one.deleted) : this.state.version(subject, name);
      if (schema === undefined) throw name === 'latest' ? errors.subjectMissing(subject) : errors.versionMissing(name);
      const { version } = schema;
      checkWritable(this.state, subject);
      if (permanent) {
        if (!schema.deleted) throw errors.versionNotSoftDeleted(subject, version);
        this.checkReferences([schema]);
        await this.remove([schema]);
        return version;
      }
      if (schema.deleted) throw errors.versionSoftDeleted(subject, version);
      this.checkReferences([schema]);
      await this.write({ kind: 'schema', schema: { ...schema, deleted: true } });
      if (this.state.versions(subject).every((one) => one.deleted)) await this.removeSettings(subject);
      return version;
    });
  }

  private checkReferences(schemas: readonly StoredSchema[]): void {
    for (const { subject, version } of schemas)
      if (this.state.referredBy(subject, version).some((one) => !one.deleted))
        throw referenceExists(
          `One or more references exist to the schema {magic=1,keytype=SCHEMA,subject=${subject},version=${version}}.`,
        );
  }

  private async remove(schemas: readonly StoredSchema[]): Promise<void> {
    // Consumers keep schemas by id: after a restart too, another schema must not get the id of a removed one.
    await this.write({ kind: 'last id', id: this.state.lastId });
    for (const { subject, version } of schemas) await this.write({ kind: 'no schema', subject, version });
  }

  private async removeSettings(subject: string): Promise<void> {
    if (this.state.levelOf(subject) !== undefined) await this.write({ kind: 'level', subject, level: null });
    if (this.state.modeOf(subject) !== undefined) await this.write({ kind: 'mode', subject, mode: null });
  }
}
