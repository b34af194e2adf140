import type { bodyForms } from '@greeting/directory'
import { bodyCollection, guid, text } from '@greeting/directory/forms'
import { refuse } from '../../refusals/graph-error.ts'
import { type KeyCredentialBody, keyCredentialBody, maxCertificates } from './credential-body.ts'

/**
 * The schema of a URL that refers to an object in certain sets. Only its last two segments count,
 * because a client may reach this server through another host than the one in its references.
 *
 * @param sets in lower case
 * @see OData JSON Format 4.01 section 8.5
 */
export const referenceTo = (...sets: readonly string[]) =>
  text(2048)
    .transform((reference) => {
      const [set = '', id = ''] = reference
        // Graph itself ends `@odata.id` with the type of the object (entra E378).
        .replace(/\/(?:microsoft\.directoryservices\.\w+)?$/i, '')
        .replace(/\('([^']*)'\)$/, '/$1')
        .split('/')
        .slice(-2)
      return sets.includes(set.toLowerCase()) ? id : ''
    })
    .pipe(guid)

/** The schema of a URL that refers to an object of the directory. */
export const objectReference = referenceTo(
  'directoryobjects',
  'serviceprincipals',
  'users',
  'groups',
)

/** The schema of a URL that refers to a user or a group. Only its ID is stored, so any is accepted. */
export const sponsorReference = referenceTo('directoryobjects', 'users', 'groups')

/** The maximum number of owners of an object, as in Microsoft Graph. */
export const maxOwners = 100
export const maxSponsors = 100

/** The changes to an object that a body requests. Missing properties do not change. */
export type ObjectPatch<Entity> = {
  readonly properties: Partial<Entity>
  /** The whole collection, if the body contains it. */
  readonly keyCredentials: readonly KeyCredentialBody[] | undefined
  /** The owners to add. */
  readonly ownerIds: readonly string[]
  /** The sponsors to add. */
  readonly sponsorIds: readonly string[]
  /** The properties that are kept and shown only. */
  readonly inert: Readonly<Record<string, unknown>>
}

/** The schemas of a body for either kind of object, except those of its properties. */
export const objectForms = {
  keyCredentials: bodyCollection(keyCredentialBody, maxCertificates),
  'owners@odata.bind': bodyCollection(objectReference, maxOwners),
  'sponsors@odata.bind': bodyCollection(sponsorReference, maxSponsors),
}

/** Separates a parsed body into the members of an object and the properties that are only stored and shown. */
export function patchOf<Entity>(
  {
    keyCredentials,
    'owners@odata.bind': ownerIds = [],
    'sponsors@odata.bind': sponsorIds = [],
    ...rest
  }: Partial<Pick<ObjectPatch<Entity>, 'keyCredentials'>> & {
    readonly 'owners@odata.bind'?: readonly string[] | undefined
    readonly 'sponsors@odata.bind'?: readonly string[] | undefined
  },
  { inert }: ReturnType<typeof bodyForms>,
): ObjectPatch<Entity> {
  const isInert = ([name]: readonly [string, unknown]) => Object.hasOwn(inert, name)
  const entries = Object.entries(rest).filter(([, value]) => value !== undefined)
  return {
    keyCredentials,
    ownerIds,
    sponsorIds,
    inert: Object.fromEntries(entries.filter(isInert)),
    // The form of each row has the type of the member.
    properties: Object.fromEntries(entries.filter((one) => !isInert(one))) as Partial<Entity>,
  }
}

/** The refusal of a property that clients may not write. */
export const propertyFault = (property: string, rule = 'is read-only and cannot be set') =>
  refuse('body_invalid', `Property '${property}' ${rule}.`)

/**
 * Removes properties from a body that repeat their only possible value.
 *
 * @throws {GraphError} graph_refusal body_invalid for one with another value.
 */
export function withoutRepeated(
  body: unknown,
  onlyValues: Readonly<Record<string, unknown>>,
  rule?: string,
): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const kept = Object.entries(body).filter(([property, value]) => {
    if (!Object.hasOwn(onlyValues, property)) return true
    if (isFixedValue(value, onlyValues[property])) return false
    throw propertyFault(property, rule)
  })
  return Object.fromEntries(kept)
}

/**
 * Whether a value equals the fixed value of a property, or a part of it. Clients send such values
 * back after they have read the object. A null stands for the fixed value.
 */
function isFixedValue(value: unknown, fixed: unknown): boolean {
  if (value === null || value === undefined || value === fixed) return true
  if (Array.isArray(value))
    return (
      Array.isArray(fixed) &&
      value.length === fixed.length &&
      value.every((one, index) => isFixedValue(one, fixed[index]))
    )
  if (typeof value !== 'object' || typeof fixed !== 'object' || fixed === null) return false
  const members: Record<string, unknown> = { ...fixed }
  return Object.entries(value).every(
    ([name, member]) => Object.hasOwn(members, name) && isFixedValue(member, members[name]),
  )
}
