import { jsonMembers } from './json-members.ts'
import type { RegistrationsFile } from './registrations-file.ts'

const lists = ['apis', 'clients'] as const
// File, list, entry.
const entryDepth = 3
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
  for (const { name, depth, start, leadStart, path } of jsonMembers(text)) {
    if (name !== 'displayName' || depth !== entryDepth) continue
    const [list, index] = path()
    const entry = lists.filter((one) => one === list).map((one) => file[one][Number(index)])[0]
    const applicationId = entry && applicationIds.get(entry.displayName)
    if (applicationId === undefined || entry?.applicationId) continue
    const lead = text.slice(leadStart, start)
    const offset = endOfStringMember(text, start)
    parts.push(text.slice(copied, offset), `,${lead}"applicationId": "${applicationId}"`)
    copied = offset
  }
  return [...parts, text.slice(copied)].join('')
}

/** Names of the entries without an application ID for which one is known. */
export function entriesWithoutId(
  { apis, clients }: RegistrationsFile,
  applicationIds: ReadonlyMap<string, string>,
): string[] {
  const names = [...apis, ...clients]
    .filter((one) => one.applicationId === undefined && applicationIds.has(one.displayName))
    .map(({ displayName }) => displayName)
  return [...new Set(names)]
}
