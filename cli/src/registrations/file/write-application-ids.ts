import { jsonMembers } from './json-members.ts'
import type { RegistrationsFile } from './registrations-file.ts'

const lists = ['apis', 'clients'] as const
// The file, the list, the entry.
const entryDepth = 3
const string = '"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"'

/** Offset at which a member ends whose value is a string. */
function endOfStringMember(text: string, start: number): number {
  const member = new RegExp(`${string}\\s*:\\s*${string}`, 'sy')
  member.lastIndex = start
  member.exec(text)
  return member.lastIndex
}

/**
 * The text of a registrations file with the application ids that its entries lack, each after the
 * name of its entry and indented as that is. The rest of the text stays as it is.
 *
 * @param text The text that was parsed as `file`.
 * @param applicationIds Application ids by the display names of the entries.
 */
export function writeApplicationIds(
  text: string,
  file: RegistrationsFile,
  applicationIds: ReadonlyMap<string, string>,
): string {
  const edits: { readonly offset: number; readonly added: string }[] = []
  for (const { name, depth, start, leadStart, path } of jsonMembers(text)) {
    if (name !== 'displayName' || depth !== entryDepth) continue
    const [list, index] = path()
    const entry = lists.filter((one) => one === list).map((one) => file[one][Number(index)])[0]
    const applicationId = entry && applicationIds.get(entry.displayName)
    if (applicationId === undefined || entry?.applicationId) continue
    const lead = text.slice(leadStart, start)
    const offset = endOfStringMember(text, start)
    edits.push({ offset, added: `,${lead}"applicationId": "${applicationId}"` })
  }
  return edits.reduceRight(
    (edited, { offset, added }) => edited.slice(0, offset) + added + edited.slice(offset),
    text,
  )
}

/** Names of the entries without an application id, for which one is known. */
export function entriesWithoutId(
  { apis, clients }: RegistrationsFile,
  applicationIds: ReadonlyMap<string, string>,
): string[] {
  const names = [...apis, ...clients]
    .filter((one) => one.applicationId === undefined && applicationIds.has(one.displayName))
    .map(({ displayName }) => displayName)
  return [...new Set(names)]
}
