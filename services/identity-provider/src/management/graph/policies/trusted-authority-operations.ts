import { X509Certificate } from 'node:crypto'
import {
  authoritiesIn,
  type DirectoryPolicy,
  formsOf,
  type Runtime,
  shownProperties,
  type TrustedAuthority,
} from '@greeting/directory'
import { bodyCollection, text } from '@greeting/directory/forms'
import { rsaKeyFault } from '@greeting/guard'
import { z } from 'zod'
import { omitUndefined, parseBody } from '../../body/parse-body.ts'
import type { EntitySet } from '../../odata/entity-set.ts'
import { listEntities } from '../../odata/list-entities.ts'
import { showCreated, showEntity } from '../../odata/show-entity.ts'
import {
  type Answer,
  type Change,
  type ChangingCall,
  type DirectoryOperation,
  operation,
  type RequestCall,
} from '../../operations/operation.ts'
import { readsPolicies, writesPolicies } from '../../privileges/graph-roles.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { partNamed } from '../directory-objects/find-object.ts'
import {
  changed,
  findPolicy,
  type PolicyRow,
  policyOperations,
  policySet,
} from './policy-operations.ts'

const maxLength = 8192

function isAuthority(certificate: string): boolean {
  try {
    const { ca, publicKey } = new X509Certificate(Buffer.from(certificate, 'base64'))
    return ca && (publicKey.asymmetricKeyType !== 'rsa' || rsaKeyFault(publicKey) === undefined)
  } catch {
    return false
  }
}

const rows = {
  id: {},
  isRootAuthority: { type: 'Edm.Boolean', body: z.boolean() },
  certificate: {
    type: 'Edm.Binary',
    body: text(maxLength).refine(isAuthority, 'must be the certificate of an authority in base64'),
  },
  issuer: { body: text().nullish() },
  issuerSubjectKeyIdentifier: { body: text().nullish() },
} as const

/** Microsoft Graph's entity set of the authorities in one list. */
export const trustedAuthorities: EntitySet<TrustedAuthority> = {
  name: 'trustedCertificateAuthorities',
  type: 'certificateAuthorityAsEntity',
  keyOf: ({ id }) => id,
  properties: shownProperties<TrustedAuthority, unknown>(rows),
}

/** Microsoft Graph's entity set of authority lists. App management policies refer to a list by its ID. */
export const authorityLists = policySet(
  'directory/certificateAuthorities/certificateBasedApplicationConfigurations',
  'certificateBasedApplicationConfiguration',
)

const newAuthority = z.strictObject(formsOf(rows))
const created = (
  { issuer = null, issuerSubjectKeyIdentifier = null, ...given }: z.output<typeof newAuthority>,
  runtime: Runtime,
): TrustedAuthority => ({ id: runtime.newGuid(), ...given, issuer, issuerSubjectKeyIdentifier })
const changedAuthority = newAuthority.partial()
const maxAuthorities = 10
const patch = z
  .strictObject({
    displayName: text(),
    description: text(1024).nullable(),
    trustedCertificateAuthorities: bodyCollection(newAuthority, maxAuthorities),
  })
  .partial()

const row: PolicyRow = {
  kind: 'trustedAuthorities',
  name: 'certificateBasedApplicationConfigurations',
  one: 'a list of trusted certificate authorities',
  effect: 'Certificates that exist stay.',
  set: authorityLists,
  expansions: {
    [trustedAuthorities.name]: { set: trustedAuthorities, find: authoritiesIn },
  },
  assigns: writesPolicies,
  objects: [],
  after: (before, body, isNew, runtime) => {
    const { trustedCertificateAuthorities: given, ...rest } = parseBody(patch, body)
    const after = { ...before, isEnabled: true, ...omitUndefined(rest) }
    if (!isNew && given === undefined) return after
    return withAuthorities(
      after,
      (given ?? []).map((one) => created(one, runtime)),
    )
  },
}

/** @throws {GraphError} graph_refusal body_invalid. */
function withAuthorities(
  list: DirectoryPolicy,
  authorities: readonly TrustedAuthority[],
): DirectoryPolicy {
  const isPermitted =
    authorities.length <= maxAuthorities &&
    authorities.some(({ isRootAuthority }) => isRootAuthority)
  if (isPermitted) return { ...list, definition: authorities }
  throw refuse(
    'body_invalid',
    `Property 'trustedCertificateAuthorities' must have at least one root authority, and at most ${maxAuthorities} authorities.`,
  )
}

const findAuthority = (call: RequestCall): TrustedAuthority =>
  partNamed(authoritiesIn(findPolicy(call, row)), call.parameters.authority)

/** Stores the list of the request with other authorities. */
function changedList(
  call: ChangingCall,
  target: string,
  change: (all: readonly TrustedAuthority[]) => readonly TrustedAuthority[],
  answer?: Answer,
): Change {
  const list = findPolicy(call, row)
  const after = withAuthorities(list, change(authoritiesIn(list)))
  return changed(call, target, (all) => all.map((one) => (one === list ? after : one)), answer)
}

const path = `/${authorityLists.name}/{policy}/${trustedAuthorities.name}`

/** The operations on authority lists, which decide who may issue the certificates of applications. */
export const trustedAuthorityOperations: readonly DirectoryOperation[] = [
  ...policyOperations(row),
  operation(`GET ${path}`, readsPolicies, {
    summary: 'Lists the authorities of a list.',
    read: (call) => listEntities(call, trustedAuthorities, authoritiesIn(findPolicy(call, row))),
  }),
  operation(`POST ${path}`, writesPolicies, {
    summary: 'Adds an authority to a list.',
    action: 'policy.update',
    change: (call) => {
      const added = created(parseBody(newAuthority, call.body), call.runtime)
      const answer = showCreated(call, trustedAuthorities, added)
      return changedList(call, added.id, (all) => [...all, added], answer)
    },
  }),
  operation(`GET ${path}/{authority}`, readsPolicies, {
    summary: 'Shows an authority of a list.',
    read: (call) => showEntity(call, trustedAuthorities, findAuthority(call)),
  }),
  operation(`PATCH ${path}/{authority}`, writesPolicies, {
    summary: 'Changes an authority of a list. Certificates that exist stay.',
    action: 'policy.update',
    change: (call) => {
      const before = findAuthority(call)
      const after = { ...before, ...omitUndefined(parseBody(changedAuthority, call.body)) }
      return changedList(call, after.id, (all) => all.map((one) => (one === before ? after : one)))
    },
  }),
  operation(`DELETE ${path}/{authority}`, writesPolicies, {
    summary: 'Removes an authority from a list, which keeps at least one root.',
    action: 'policy.update',
    change: (call) => {
      const { id } = findAuthority(call)
      return changedList(call, id, (all) => all.filter((one) => one.id !== id))
    },
  }),
]
