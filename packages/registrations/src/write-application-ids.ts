import { callersOf } from './callers.ts'
import { jsonMembers, pathText } from './json-members.ts'
import type { ApiEntry, RegistrationsFile } from './registrations-file.ts'

const entryPath = /^(?:apis|clients|blueprints)\[\d+](?:\.agents\[\d+])?$/
const string = '"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"'

/** Offset of the end of a member with a string value. */
function endOfStringMember(text: string, start: number): number {
  const member = new RegExp(`${string}\\s*:\\s*${string}`, 'sy')
  member.lastIndex = start
  member.exec(text)
  return member.lastIndex
}

/**
 * Adds missing application IDs to the text of a registrations file. Each ID follows the name of its
 * entry, with the same indent. The rest of the text does not change.
 *
 * @param text the text that was parsed as `file`
 * @param applicationIds application IDs by the display names of the entries
 */
export function writeApplicationIds(
  text: string,
  file: RegistrationsFile,
  applicationIds: ReadonlyMap<string, string>,
): string {
  const parts: string[] = []
  let copied = 0
  for (const { name, start, leadStart, path } of jsonMembers(text)) {
    if (name !== 'displayName') continue
    const steps = path().slice(0, -1)
    if (!entryPath.test(pathText(steps))) continue
    const at: unknown = steps.reduce<unknown>(
      (outer, step) => Reflect.get(Object(outer), step),
      file,
    )
    const entry = at as ApiEntry
    const applicationId = applicationIds.get(entry.displayName)
    if (applicationId === undefined || entry.applicationId) continue
    const lead = text.slice(leadStart, start)
    const offset = endOfStringMember(text, start)
    parts.push(text.slice(copied, offset), `,${lead}"applicationId": "${applicationId}"`)
    copied = offset
  }
  return [...parts, text.slice(copied)].join('')
}

/** The names of entries without an application ID whose ID is known. */
export function entriesWithoutId(
  file: RegistrationsFile,
  applicationIds: ReadonlyMap<string, string>,
): string[] {
  const names = [...file.apis, ...callersOf(file)]
    .filter((one) => one.applicationId === undefined && applicationIds.has(one.displayName))
    .map(({ displayName }) => displayName)
  return [...new Set(names)]
}
