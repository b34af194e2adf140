import { createHash } from 'node:crypto'
import { domainsOf, shownProperties, type Tenant } from '@greeting/directory'
import type { EntitySet } from '../../odata/entity-set.ts'

const names = [
  ['Amara', 'Okafor', 'Engineer'],
  ['Jonas', 'Lindqvist', 'Operator'],
  ['Mei', 'Tanaka', 'Auditor'],
] as const

/** The users of a tenant. They are computed, because no store has them, and none can sign in. */
export const usersOf = (tenant: Tenant) =>
  names.map(([givenName, surname, jobTitle]) => ({
    id: userId(tenant, givenName),
    givenName,
    surname,
    jobTitle,
    userPrincipalName: `${givenName.toLowerCase()}@${domainsOf(tenant)[0]}`,
  }))

/** A GUID of version 8: RFC 9562 section 5.8. */
const userId = ({ id }: Tenant, name: string): string =>
  createHash('sha256')
    .update(`${id} ${name}`)
    .digest('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')

export type User = ReturnType<typeof usersOf>[number]

const fixedText = { fixed: null, type: 'Edm.String' } as const
const searched = { filter: 'value', hasStartsWith: true } as const

/**
 * Microsoft Graph's entity set `users`, with Graph's default properties in Graph's order.
 *
 * @see https://learn.microsoft.com/graph/api/resources/user
 */
export const users: EntitySet<User> = {
  name: 'users',
  type: 'user',
  keyOf: ({ id }) => id,
  properties: shownProperties<User, unknown>({
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

/** Microsoft Graph's entity set `groups`. No tenant has a group. */
export const groups: EntitySet<Pick<User, 'id'>> = {
  name: 'groups',
  type: 'group',
  keyOf: ({ id }) => id,
  properties: shownProperties<Pick<User, 'id'>, unknown>({
    id: { filter: 'value' },
    displayName: { ...fixedText, ...searched },
    mailEnabled: { fixed: false, type: 'Edm.Boolean' },
    mailNickname: { ...fixedText, filter: 'value' },
    securityEnabled: { fixed: true, type: 'Edm.Boolean' },
  }),
}
