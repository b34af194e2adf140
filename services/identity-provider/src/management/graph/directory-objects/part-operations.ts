import type { EntitySet } from '../../odata/entity-set.ts'
import { listEntities } from '../../odata/list-entities.ts'
import { showEntity } from '../../odata/show-entity.ts'
import type { Call, ChangeOperation, DirectoryOperation } from '../../operations/operation.ts'
import {
  type AgentAccess,
  readsApplications,
  writesApplications,
} from '../../privileges/graph-roles.ts'
import { endsOfList } from './object-type.ts'

type PartChange = Pick<ChangeOperation, 'summary' | 'change'>

/** The parts of applications of one kind: how they are read and changed, and what that means. */
type PartRow<Part> = {
  readonly set: EntitySet<Part>
  /** The name of their key in paths. */
  readonly key: string
  /** Their name in the audit log. */
  readonly name: string
  /** What changes require behind a cast. Without it, there are no paths with a cast. */
  readonly access?: AgentAccess
  readonly partsOf: (call: Call) => readonly Part[]
  readonly find: (call: Call) => Part
  readonly lists: string
  readonly shows: string
  readonly create: PartChange
  readonly update?: PartChange
  readonly remove: PartChange
}

export function partOperations<Part>(row: PartRow<Part>): DirectoryOperation[] {
  const { access, create, find, name, partsOf, remove, set, update } = row
  const path = `/applications/{id}/${set.name}`
  const one = `${path}/{${row.key}}`
  const read = { method: 'GET', requires: readsApplications } as const
  const reads = { ...read, ...(access && { access: 'read' as const }) }
  const list = { path, ends: endsOfList(), summary: row.lists }
  const writes = { requires: writesApplications, ...(access && { access }) }
  const action = (verb: string) => `application.${verb}${name}`
  const patch = { method: 'PATCH', path: one, takesBody: true, action: action('update') } as const
  return [
    { ...reads, ...list, read: (call) => listEntities(call, set, partsOf(call)) },
    { ...writes, method: 'POST', path, takesBody: true, action: action('add'), ...create },
    { ...reads, path: one, summary: row.shows, read: (call) => showEntity(call, set, find(call)) },
    ...(update ? [{ ...writes, ...patch, ...update }] : []),
    { ...writes, method: 'DELETE', path: one, action: action('remove'), ...remove },
  ]
}
