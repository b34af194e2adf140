import { applications } from '../../src/graph/applications/application-set.ts'
import { graphOperations } from '../../src/graph/graph.ts'
import { graphRoles } from '../../src/graph/graph-roles.ts'
import type { Requirement } from '../../src/graph/http/caller.ts'
import type { Operation } from '../../src/graph/http/operation.ts'
import { refusals } from '../../src/graph/http/refusals.ts'
import { managementOperations } from '../../src/graph/management/management.ts'
import { managementRoles } from '../../src/graph/management-roles.ts'
import { appRoleAssignments } from '../../src/graph/service-principals/app-role-assignment-set.ts'
import { servicePrincipals } from '../../src/graph/service-principals/service-principal-set.ts'
import { privilegeTable, type Target, targets } from './privilege/privilege-table.ts'

type Row = readonly string[]

const code = (text: string) => `\`${text}\``
const table = (head: Row, rows: readonly Row[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('')

const rolesText = (requirement: Requirement): string =>
  requirement.map((group) => group.map(code).join(' or ')).join(', and ')

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
      operation.does,
      'action' in operation ? code(operation.action) : '',
    ]),
  )

const filterTable = table(
  ['Set', '`eq`', '`any`'],
  [applications, servicePrincipals, appRoleAssignments].map(({ name, filterable }) => [
    code(name),
    ...(['value', 'collection'] as const).map((kind) =>
      Object.entries(filterable)
        .filter(([, of]) => of === kind)
        .map(([property]) => code(property))
        .join(', '),
    ),
  ]),
)

const refusalTable = table(
  ['Status', '`code`', '`message`'],
  Object.values(refusals).map(({ status, code: name, sentence }) => [
    String(status),
    code(name),
    (sentence as (...values: string[]) => string)('…').replaceAll('|', '\\|'),
  ]),
)

const outcomesOf = (operation: Operation) =>
  Object.entries(privilegeTable[`${operation.method} ${operation.path}`] ?? {}).map(
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
        .join('; '),
      outcomesOf(operation)
        .filter(({ outcome }) => outcome !== 'allowed')
        .map(({ on, outcome }) => `${on} (${code(outcome)})`)
        .join('; '),
    ]),
  )

const operationsOfServer = managementOperations({ keys: {} as never, audit: {} as never })

/** The tables of docs/reference/graph.md, as the code has them. */
export const referenceTables: Readonly<Record<string, string>> = {
  'the roles of Microsoft Graph': roleTable(graphRoles),
  'the operations of Microsoft Graph': operationTable(graphOperations),
  'what a filter may ask for': filterTable,
  'the roles of the management of the server': roleTable(managementRoles),
  'the operations of the management of the server': operationTable(operationsOfServer),
  'what the roles of Microsoft Graph open': privilegesTable(graphOperations),
  'what the roles of the management of the server open': privilegesTable(operationsOfServer),
  'the refusals': refusalTable,
}
