export { type CallerEntry, callersOf } from './callers.ts'
export { lineOf, syntaxErrorLine } from './json-members.ts'
export {
  type FileIssue,
  parseRegistrations,
  RegistrationsFileError,
  registrationsText,
} from './parse-registrations.ts'
export {
  type ApiEntry,
  applicationIdPlaceholder,
  type ClientEntry,
  type RegistrationsFile,
  registrationsJsonSchema,
  type SecretEntry,
} from './registrations-file.ts'
export { stableRoleId } from './stable-role-id.ts'
export { entriesWithoutId, writeApplicationIds } from './write-application-ids.ts'
