import type { ListPage, ListQuery } from '@greeting/directory/live'
import { jsonOf, lastKeyBefore, listAnswer } from '../../odata/list-answer.ts'
import { isCount, numberAnswer } from '../../odata/list-entities.ts'
import { numberOf } from '../../odata/list-stored.ts'
import { parseQuery } from '../../odata/query-options.ts'
import { shownFor } from '../../odata/show-entity.ts'
import {
  type Answer,
  type ListCall,
  type ListOperation,
  operation,
} from '../../operations/operation.ts'
import { readsApplications, readsPeople } from '../../privileges/graph-roles.ts'
import { directoryObjects } from './entity-sets.ts'
import { findServicePrincipal, findUser } from './find-object.ts'
import { type DirectoryObject, endsOfList, isAsked } from './object-type.ts'

type IsIn = (object: DirectoryObject, holder: { id: string; appId?: string }) => boolean

const owns: IsIn = ({ ownerIds }, { id }) => ownerIds.includes(id)
const created: IsIn = ({ createdByAppId }, { appId }) => createdByAppId === appId

const kinds = ['application', 'servicePrincipal'] as const
type Kind = (typeof kinds)[number]

/** The objects of either kind that refer to a service principal or to a user, as a list or as a number. */
const relatedOperation = (
  path: string,
  what: string,
  isIn: IsIn,
  find: (call: ListCall) => Promise<Parameters<IsIn>[1]> | Parameters<IsIn>[1] = (call) =>
    call.read((directory) => findServicePrincipal({ ...call, directory })),
): ListOperation =>
  operation(`GET ${path}`, readsApplications, {
    ends: endsOfList(...kinds, 'group'),
    summary: `Lists the objects that ${what}, or counts them.`,
    list: async (call) => {
      const holder = await find(call)
      const { caller, createdUntil } = call
      const read: ReadPage = (kind, part) =>
        call.list({
          kind,
          tenantId: caller.tenantId,
          createdUntil,
          conditions: [],
          isIndexed: false,
          matches: (object) => isIn(object, holder),
          ...part,
        })
      const asked = kinds.filter((kind) => isAsked(call, kind))
      return (isCount(call) ? countObjects : listObjects)(call, asked, read)
    },
  })

/** The operations that list what service principals and users own, and what service principals created. */
export const ownedObjectOperations: readonly ListOperation[] = [
  {
    ...relatedOperation('/servicePrincipals/{id}/ownedObjects', 'a service principal owns', owns),
    access: 'read',
  },
  {
    ...relatedOperation(
      '/servicePrincipals/{id}/createdObjects',
      'a service principal created',
      created,
    ),
    access: 'read',
  },
  {
    ...relatedOperation('/users/{id}/ownedObjects', 'a user owns', owns, findUser),
    requires: [...readsPeople, ...readsApplications],
  },
]

type ReadPage = (
  kind: Kind,
  part: Pick<ListQuery<Kind>, 'after' | 'limit' | 'isCounted'>,
) => Promise<ListPage<Kind>>

/** Lists objects of some kinds, one kind after the other, page by page. */
async function listObjects(
  call: ListCall,
  listed: readonly Kind[],
  read: ReadPage,
): Promise<Answer> {
  const options = parseQuery(call, ['$select', '$top', '$skiptoken'], directoryObjects)
  const [first, start] = lastKeyBefore(call, options)?.split(' ') ?? []
  const parts: Buffer[] = []
  let [left, next, after] = [options.top, undefined as string | undefined, start]
  for (const kind of first === 'servicePrincipal' ? listed.slice(-1) : listed) {
    next = left === 0 ? `${kind} ` : undefined
    if (left === 0) break
    const page = await read(kind, { after: after || undefined, limit: left, isCounted: false })
    const view = {
      ...shownFor({ ...call, directory: call.see(page.directory) }),
      selected: options.select,
    }
    parts.push(...(await jsonOf(call, directoryObjects, { entities: page.objects, view })))
    left -= page.objects.length
    next = page.next && `${kind} ${page.next}`
    if (next !== undefined) break
    after = undefined
  }
  return listAnswer(call, directoryObjects, {
    parts,
    next,
    count: undefined,
    selected: options.select,
  })
}

async function countObjects(
  call: ListCall,
  listed: readonly Kind[],
  read: ReadPage,
): Promise<Answer> {
  parseQuery(call, [], directoryObjects)
  let count = 0
  for (const kind of listed)
    count += numberOf(await read(kind, { after: undefined, limit: 1, isCounted: true })) ?? 0
  return numberAnswer(count)
}
