import { createHash } from 'node:crypto'
import { domainsOf, shownProperties, type Tenant } from '@greeting/directory'
import type { EntitySet } from '../odata/entity-set.ts'
import { holds } from '../odata/holds.ts'
import { listEntities } from '../odata/list-entities.ts'
import { parseQuery, supportedOptions } from '../odata/query-options.ts'
import { showEntity } from '../odata/show-entity.ts'
import type { Answer, Call, ReadOperation } from '../operations/operation.ts'
import { readsGroups, readsPeople } from '../privileges/graph-roles.ts'
import { refuse } from '../refusals/graph-error.ts'
import { appRoleAssignments } from './directory-objects/entity-sets.ts'
import { partNamed } from './directory-objects/find-object.ts'

const names = [
  ['Amara', 'Okafor', 'Engineer'],
  ['Jonas', 'Lindqvist', 'Operator'],
  ['Mei', 'Tanaka', 'Auditor'],
] as const

/** The people of a tenant. They are computed: no store has them, and none of them can sign in. */
const peopleOf = (tenant: Tenant) =>
  names.map(([givenName, surname, jobTitle]) => ({
    id: personId(tenant, givenName),
    givenName,
    surname,
    jobTitle,
    userPrincipalName: `${givenName.toLowerCase()}@${domainsOf(tenant)[0]}`,
  }))

/** A GUID of version 8: RFC 9562 section 5.8. */
const personId = ({ id }: Tenant, name: string): string =>
  createHash('sha256')
    .update(`${id} ${name}`)
    .digest('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')

type Person = ReturnType<typeof peopleOf>[number]

const fixedText = { fixed: null, type: 'Edm.String' } as const
const searched = { filter: 'value', hasStartsWith: true } as const

/**
 * The users of Microsoft Graph, in the order of its default properties.
 *
 * @see https://learn.microsoft.com/graph/api/resources/user
 */
export const users: EntitySet<Person> = {
  name: 'users',
  type: 'user',
  keyOf: ({ id }) => id,
  properties: shownProperties<Person, unknown>({
    businessPhones: { fixed: [], type: 'Collection(Edm.String)' },
    displayName: { ...searched, show: ({ givenName, surname }) => `${givenName} ${surname}` },
    givenName: searched,
    jobTitle: { filter: 'value' },
    mail: { ...searched, show: ({ userPrincipalName }) => userPrincipalName },
    mobilePhone: fixedText,
    officeLocation: fixedText,
    preferredLanguage: fixedText,
    surname: searched,
    userPrincipalName: searched,
    id: { filter: 'value' },
    accountEnabled: { fixed: true, type: 'Edm.Boolean', isSelectedOnly: true },
    userType: { fixed: 'Member', isSelectedOnly: true },
  }),
}

/** The groups of Microsoft Graph. No tenant has one. */
export const groups: EntitySet<Pick<Person, 'id'>> = {
  name: 'groups',
  type: 'group',
  keyOf: ({ id }) => id,
  properties: shownProperties<Pick<Person, 'id'>, unknown>({
    id: { filter: 'value' },
    displayName: { ...fixedText, ...searched },
    mailEnabled: { fixed: false, type: 'Edm.Boolean' },
    mailNickname: { ...fixedText, filter: 'value' },
    securityEnabled: { fixed: true, type: 'Edm.Boolean' },
  }),
}

/** The operations to read one set of objects that no client can change. */
const readOperations = <Entity>(
  set: EntitySet<Entity>,
  requires: ReadOperation['requires'],
  entitiesOf: (tenant: Tenant) => readonly Entity[],
  find: (call: Call) => Entity,
): ReadOperation[] => [
  {
    method: 'GET',
    path: `/${set.name}`,
    requires,
    summary: `Lists the ${set.name} of the tenant.`,
    read: (call) => listEntities(call, set, entitiesOf(call.caller.tenant)),
  },
  {
    method: 'GET',
    path: `/${set.name}/$count`,
    requires,
    summary: `Counts the ${set.name} of the tenant.`,
    read: (call) => countEntities(call, set, entitiesOf(call.caller.tenant)),
  },
  {
    method: 'GET',
    path: `/${set.name}/{id}`,
    requires,
    summary: `Shows one of the ${set.name}.`,
    read: (call) => showEntity(call, set, find(call)),
  },
]

function countEntities<Entity>(
  call: Call,
  set: EntitySet<Entity>,
  entities: readonly Entity[],
): Answer {
  if (!call.isEventual) throw refuse('count_unsupported')
  const { filter } = parseQuery(call, supportedOptions.count, set)
  const view = { ...call, selected: undefined, lastUses: new Map() }
  const { length } = entities.filter((one) => filter === undefined || holds(filter, one, set, view))
  return { status: 200, content: String(length), contentType: 'text/plain' }
}

/** Finds the person in the path of a request, by object ID or user principal name. */
function findPerson({ caller, parameters }: Call): Person {
  const { id: key = '' } = parameters
  const people = peopleOf(caller.tenant)
  const named = people.find((one) => one.userPrincipalName === key.toLowerCase())
  return named ?? partNamed(people, key)
}

/**
 * What Microsoft's samples read first: three people of each tenant, who never authenticate and have no
 * roles, and no groups.
 */
export const peopleOperations: readonly ReadOperation[] = [
  ...readOperations(users, readsPeople, peopleOf, findPerson),
  {
    method: 'GET',
    path: '/users/{id}/appRoleAssignments',
    requires: readsPeople,
    summary: 'Lists the roles of a person: none.',
    read: (call) => {
      findPerson(call)
      return listEntities(call, appRoleAssignments, [])
    },
  },
  ...readOperations(
    groups,
    readsGroups,
    () => [],
    ({ parameters: { id = '' } }) => {
      throw refuse('resource_unknown', id)
    },
  ),
]
