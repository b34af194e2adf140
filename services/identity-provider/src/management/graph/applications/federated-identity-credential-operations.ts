import type { Application, FederatedIdentityCredential } from '@greeting/directory'
import { showCreated } from '../../odata/show-entity.ts'
import type { Call, Change, ChangingCall } from '../../operations/operation.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { federatedIdentityCredentials } from '../directory-objects/entity-sets.ts'
import { findApplication, keyIn, partNamed } from '../directory-objects/find-object.ts'
import { createdBy, stored } from '../directory-objects/object-operations.ts'
import { partOperations } from '../directory-objects/part-operations.ts'
import {
  parseChangedFederatedCredential,
  parseNewFederatedCredential,
} from './federated-identity-credential-body.ts'

/**
 * The operations on federated identity credentials, with which an application trusts other issuers
 * instead of a secret.
 */
export const federatedIdentityCredentialOperations = partOperations({
  set: federatedIdentityCredentials,
  key: 'credential',
  name: 'FederatedIdentityCredential',
  access: 'credentials',
  partsOf: (call) => findApplication(call).federatedIdentityCredentials,
  find: (call) => findCredential(call, findApplication(call)),
  lists: 'Lists the federated identity credentials of an application.',
  shows: 'Shows a federated identity credential by its ID or its name.',
  create: {
    summary:
      'Trusts the tokens of another issuer as credentials of the application: of one subject, or of all that an expression matches.',
    change: create,
  },
  update: {
    summary:
      'Changes a federated identity credential, except its name. `Prefer: create-if-missing` creates one.',
    change: update,
  },
  remove: { summary: 'Removes a federated identity credential.', change: remove },
})

const maxCredentials = 20

function create(call: ChangingCall): Change {
  const application = findApplication(call)
  const credential = parseNewFederatedCredential(call.body, call.runtime.newGuid())
  const others = application.federatedIdentityCredentials
  if (others.some((other) => other.name === credential.name))
    throw refuse('federated_credential_taken', credential.name)
  if (others.length === maxCredentials)
    throw refuse(
      'federated_credential_invalid',
      `An application must not have more than ${maxCredentials} federated identity credentials.`,
    )
  requireUniqueSubject(credential, others)
  return withCredentials(
    application,
    [...others, credential],
    showCreated(call, federatedIdentityCredentials, credential),
  )
}

/** With `Prefer: create-if-missing`, a name that no credential has becomes a new credential. */
function update(call: ChangingCall): Change {
  const application = findApplication(call)
  const name = keyIn(call.parameters.credential, 'name')
  const isMissing = application.federatedIdentityCredentials.every((one) => one.name !== name)
  if (name !== undefined && isMissing && call.mayCreate) {
    const creation = { action: 'application.addFederatedIdentityCredential', change: create }
    const path = `/applications/${application.id}/${federatedIdentityCredentials.name}`
    return createdBy(creation, call, path, { name })
  }
  const before = findCredential(call, application)
  const after = parseChangedFederatedCredential(call.body, before)
  const all = application.federatedIdentityCredentials
  requireUniqueSubject(
    after,
    all.filter((other) => other !== before),
  )
  return withCredentials(
    application,
    all.map((one) => (one === before ? after : one)),
  )
}

function remove(call: ChangingCall): Change {
  const application = findApplication(call)
  const credential = findCredential(call, application)
  return withCredentials(
    application,
    application.federatedIdentityCredentials.filter((one) => one !== credential),
  )
}

const withCredentials = (
  application: Application,
  federatedIdentityCredentials: readonly FederatedIdentityCredential[],
  answer?: Change['answer'],
): Change => stored('application', { ...application, federatedIdentityCredentials }, answer)

function findCredential(
  call: Call,
  { federatedIdentityCredentials: all }: Application,
): FederatedIdentityCredential {
  const { credential: text = '' } = call.parameters
  const key = keyIn(text, 'name') ?? text
  return all.find(({ name }) => name === key) ?? partNamed(all, key)
}

function requireUniqueSubject(
  { issuer, subject, claimsMatchingExpression }: FederatedIdentityCredential,
  others: readonly FederatedIdentityCredential[],
): void {
  const isTaken = others.some(
    (other) =>
      other.issuer === issuer &&
      other.subject === subject &&
      other.claimsMatchingExpression === claimsMatchingExpression,
  )
  if (!isTaken) return
  throw refuse(
    'federated_credential_invalid',
    `The combination of issuer and subject must be unique for the application. Issuer ${issuer} and Subject: ${subject ?? claimsMatchingExpression} already exist.`,
  )
}
