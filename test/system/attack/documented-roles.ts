/** The two management APIs of the reference. */
export type ManagementApi = 'graph' | 'server'

export type Role = { readonly name: string; readonly id: string }

/** What the management API reference says about one operation. */
export type DocumentedOperation = {
  readonly api: ManagementApi
  /** Such as `POST /applications/{id}/addPassword`. */
  readonly operation: string
  /** Whether a caller with these roles may use it at all. */
  readonly permits: (roles: ReadonlySet<string>) => boolean
  /** What it is refused on, without the reason: `an object of another tenant`. */
  readonly refusedOn: ReadonlySet<string>
}

const row = /^\| `([A-Z]+ \/[^`]*)` \| ([^|]*) \| ([^|]*) \|/gm

const rowsOf = (section: string) =>
  [...section.matchAll(row)].map(([, operation = '', second = '', third = '']) => ({
    operation,
    second,
    third,
  }))

/** Reads a cell such as `A`, and `B` or `C`. */
function permission(cell: string): DocumentedOperation['permits'] {
  const groups = cell
    .split(', and ')
    .map((group) => [...group.matchAll(/`([^`]+)`/g)].map(([, role = '']) => role))
  if (cell.trim() === 'none') return () => true
  if (groups.some((group) => group.length === 0)) throw new Error(`unknown roles: ${cell}`)
  return (roles) => groups.every((group) => group.some((role) => roles.has(role)))
}

/** The management API roles with their IDs, as the reference lists them. */
export function readDocumentedRoleIds(page: string): Readonly<Record<ManagementApi, Role[]>> {
  const [graph = '', server = ''] = page.split('## Operations of the server')
  const roles = (section: string) =>
    [...section.matchAll(/^\| `([A-Za-z.]+)` \| `([0-9a-f-]{36})` \|/gm)].map(
      ([, name = '', id = '']) => ({ name, id }),
    )
  return { graph: roles(graph), server: roles(server) }
}

/**
 * Reads the tables of docs/reference/graph.md: the roles of each operation, and the objects for which it is refused.
 *
 * @throws {Error} when an operation has no row in the second table
 */
export function readDocumentedRoles(page: string): readonly DocumentedOperation[] {
  const [roles = '', permissions = ''] = page.split('## Permissions of each role')
  const [ofGraph = '', ofServer = ''] = roles.split('## Operations of the server')
  const [onGraph = '', onServer = ''] = permissions.split('The caller of `/management`')
  const parts: [ManagementApi, string, string][] = [
    ['graph', ofGraph, onGraph],
    ['server', ofServer, onServer],
  ]
  return parts.flatMap(([api, table, refusals]) => {
    const refused = new Map(rowsOf(refusals).map(({ operation, third }) => [operation, third]))
    return rowsOf(table).map(({ operation, second }) => {
      const cell = refused.get(operation)
      if (cell === undefined) throw new Error(`${operation} has no permissions`)
      const names = cell.split('<br>').map((one) => one.replace(/\(`[^`]*`\)/g, '').trim())
      return {
        api,
        operation,
        permits: permission(second),
        refusedOn: new Set(names.filter((name) => name !== '')),
      }
    })
  })
}
