import { complexTypeIn } from '@greeting/directory'
import {
  applications,
  appRoleAssignments,
  servicePrincipals,
} from '../../src/management/graph/directory-objects/entity-sets.ts'
import { graphOperations } from '../../src/management/graph/graph-operations.ts'
import type { Operation } from '../../src/management/operations/operation.ts'
import type { RequiredRoles } from '../../src/management/privileges/caller.ts'
import { graphRoles } from '../../src/management/privileges/graph-roles.ts'
import { serverRoles } from '../../src/management/privileges/server-roles.ts'
import { refusals } from '../../src/management/refusals/refusals.ts'
import { serverOperations } from '../../src/management/server/server-operations.ts'
import { type Target, targets } from './privileges/privilege-row.ts'
import { privilegeTable } from './privileges/privilege-table.ts'

type Row = readonly string[]

const code = (text: string) => `\`${text}\``
const codes = (texts: readonly string[] = []) => texts.map(code).join(', ')
const table = (head: Row, rows: readonly Row[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('')

const rolesText = (requirement: RequiredRoles): string =>
  requirement.length === 0
    ? 'none'
    : requirement.map((group) => group.map(code).join(' or ')).join(', and ')

const roleTable = (
  roles: Readonly<Record<string, { readonly id: string; readonly description: string }>>,
): string =>
  table(
    ['Role', 'Id', 'Allows'],
    Object.entries(roles).map(([value, { id, description }]) => [
      code(value),
      code(id),
      description.replace('Allows the app to ', ''),
    ]),
  )

const operationTable = (operations: readonly Operation[]): string =>
  table(
    ['Operation', 'Roles', 'What it does', 'Recorded as'],
    operations.map((operation) => [
      code(`${operation.method} ${operation.path}`),
      rolesText(operation.requires),
      `${operation.summary}${(operation.ends ?? []).map((end, at) => `${at === 0 ? ' Also with ' : ', '}${code(end)}`).join('')}${operation.ends ? '.' : ''}`,
      'action' in operation ? code(operation.action) : '',
    ]),
  )

/** The members of a collection of objects that a filter compares. */
const membersOf = (property: string, type: Parameters<typeof complexTypeIn>[0]) =>
  Object.entries(complexTypeIn(type)?.members ?? {}).flatMap(([member, { filter }]) =>
    filter === undefined ? [] : [`${property}/${member}`],
  )

const filterTable = table(
  ['Set', '`eq`, `in`', '`ge`, `le` too', '`any`', '`startsWith`', '`$search`', '`$orderby`'],
  [applications, servicePrincipals, appRoleAssignments].map(({ name, properties }) => {
    const rows = Object.entries(properties)
    const namesWith = (attribute: 'hasStartsWith' | 'isSearchable' | 'isSortable') =>
      rows.filter(([, row]) => row[attribute]).map(([property]) => property)
    return [
      code(name),
      ...(['value', 'time', 'collection'] as const).map((kind) =>
        codes(
          rows.flatMap(([property, { filter, type }]) => {
            if (filter !== 'members') return filter === kind ? [property] : []
            return kind === 'collection' ? membersOf(property, type) : []
          }),
        ),
      ),
      codes(namesWith('hasStartsWith')),
      codes(namesWith('isSearchable')),
      codes(namesWith('isSortable')),
    ]
  }),
)

/** The sentence of a refusal, or where its whole text comes from. */
function textOf(sentence: (...values: string[]) => string): string {
  const text = sentence('…').replaceAll('|', '\\|')
  return text === '…' ? '*The rule that the request breaks, in one sentence.*' : text
}

const refusalTable = table(
  ['Status', '`code`', '`message`'],
  Object.values(refusals).map(({ status, code: name, sentence }) => [
    String(status),
    code(name),
    textOf(sentence as (...values: string[]) => string),
  ]),
)

const outcomesOf = (operation: Operation) =>
  Object.entries(privilegeTable[`${operation.method} ${operation.path}`]?.[1] ?? {}).map(
    ([target, outcome]) => ({ on: targets[target as Target], outcome }),
  )

const privilegesTable = (operations: readonly Operation[]): string =>
  table(
    ['Operation', 'Allowed on', 'Refused on'],
    operations.map((operation) => [
      code(`${operation.method} ${operation.path}`),
      outcomesOf(operation)
        .filter(({ outcome }) => outcome === 'allowed')
        .map(({ on }) => on)
        .join('<br>'),
      outcomesOf(operation)
        .filter(({ outcome }) => outcome !== 'allowed')
        .map(({ on, outcome }) => `${on} (${code(outcome)})`)
        .join('<br>'),
    ]),
  )

const operationsOfServer = serverOperations({
  keys: {} as never,
  audit: {} as never,
  findEndingCredentials: async () => [],
})

/** The page with the parts, from the root of the repository. */
export const file = 'docs/reference/graph.md'

const operations = `## Operations of Microsoft Graph

${roleTable(graphRoles)}
${operationTable(graphOperations)}
A filter compares these properties:

${filterTable}
## Operations of the server

${roleTable(serverRoles)}
${operationTable(operationsOfServer)}
## Permissions of each role

Each row is for a caller that has the roles of the operation. Every other caller is refused
(\`role_missing\`). The name in parentheses is the reason of a refused change in the audit log.

The caller of \`/v1.0\` sees its own tenant only:

${privilegesTable(graphOperations)}
The caller of \`/management\` is a client of the first tenant. \`Tenant.ReadWrite.All\` gives access to every
other tenant, because its holder can create an administrator there:

${privilegesTable(operationsOfServer)}`

/** The tables of both management APIs, as the code makes them. */
export const parts = { operations, refusals: refusalTable }
