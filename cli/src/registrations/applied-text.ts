import { entriesWithoutId, type RegistrationsFile } from '@greeting/registrations'
import type { Applied, NewSecret } from '@greeting/registrations/apply'
import { day } from '@greeting/registrations/directory'
import type { Change } from '@greeting/registrations/planning'
import { diffOf } from '@greeting/registrations/planning'
import { envLine } from '../files/env-file.ts'
import { visibleText } from '../text/visible-text.ts'
import type { KeptSecret } from './secret-files.ts'

/** The result of a run for people: the completed changes, and those not attempted. */
export function appliedText({ done, stopped, alsoRefused, left }: Applied): string {
  if (left.length === 0 && stopped === undefined) return 'Done: the directory matches the file.\n'
  const refused = [...(stopped ? [stopped] : []), ...alsoRefused].map(({ change }) => change)
  return [
    ...section('Done:', done),
    ...section('Refused:', refused),
    ...section('Not attempted:', left),
    '',
  ].join('\n')
}

/** The files of new secrets, or the secrets themselves if they have no file. */
export const secretLines = (secrets: readonly (KeptSecret | NewSecret)[]): string =>
  secrets
    .map((one) => {
      const what = `secret "${one.secret}" of "${one.client}", valid until ${day(one.endDateTime)}`
      return 'file' in one
        ? `The ${what}, is in ${one.file}\n`
        : `# ${visibleText(`The ${what}`)}. It is not shown again\n${envLine('CLIENT_ID', one.clientId)}${envLine('CLIENT_SECRET', one.secretText)}`
    })
    .join('')

/** The IDs of new applications, for the file. Empty if the file has them all. */
export function idLines(
  file: RegistrationsFile,
  applicationIds: ReadonlyMap<string, string>,
): string {
  const names = entriesWithoutId(file, applicationIds)
  if (names.length === 0) return ''
  return [
    'Add these IDs to the file, or use --write-ids. Other machines need them.',
    ...names.map((name) => `  "applicationId": "${applicationIds.get(name)}" for "${name}"`),
    '',
  ].join('\n')
}

const section = (title: string, changes: readonly Change[]) =>
  changes.length === 0 ? [] : [title, ...changes.flatMap((change) => diffOf(change))]
