import { z } from 'zod'
import type { Application } from '../../../directory/application.ts'
import { put } from '../../../directory/directory-change.ts'
import type { FederatedIdentityCredential } from '../../../directory/federated-identity-credential.ts'
import { refuse } from '../../http/graph-error.ts'
import type {
  Call,
  Change,
  ChangeOperation,
  ChangingCall,
  ReadOperation,
} from '../../http/operation.ts'
import { omitUndefined, parseBody } from '../../http/parse-body.ts'
import { bodyCollection, name, text } from '../../http/schemas.ts'
import type { EntitySet } from '../../odata/entity-set.ts'
import { listEntities } from '../../odata/list-entities.ts'
import { showCreated, showEntity } from '../../odata/show-entity.ts'
import { readsApplications, writesApplications } from '../graph-roles.ts'
import { findApplication } from './find-application.ts'

const collection = '/applications/{id}/federatedIdentityCredentials'

/** Trust in other issuers, in place of a secret. */
export const federatedIdentityCredentialOperations: readonly (ReadOperation | ChangeOperation)[] = [
  {
    method: 'GET',
    path: collection,
    requires: readsApplications,
    summary: 'Lists the federated identity credentials of an application.',
    read: (call) =>
      listEntities(call, credentials, findApplication(call).federatedIdentityCredentials),
  },
  {
    method: 'POST',
    path: collection,
    requires: writesApplications,
    summary:
      'Trusts the tokens of another issuer for one subject as credentials of the application.',
    takesBody: true,
    action: 'application.addFederatedIdentityCredential',
    change: create,
  },
  {
    method: 'GET',
    path: `${collection}/{credential}`,
    requires: readsApplications,
    summary: 'Shows a federated identity credential by its ID or its name.',
    read: (call) => showEntity(call, credentials, findCredential(call, findApplication(call))),
  },
  {
    method: 'PATCH',
    path: `${collection}/{credential}`,
    requires: writesApplications,
    summary: 'Changes a federated identity credential, except its name.',
    takesBody: true,
    action: 'application.updateFederatedIdentityCredential',
    change: update,
  },
  {
    method: 'DELETE',
    path: `${collection}/{credential}`,
    requires: writesApplications,
    summary: 'Removes a federated identity credential.',
    action: 'application.removeFederatedIdentityCredential',
    change: remove,
  },
]

const credentials: EntitySet<FederatedIdentityCredential> = {
  name: 'federatedIdentityCredentials',
  type: 'federatedIdentityCredential',
  keyOf: ({ id }) => id,
  filterable: { name: 'value', issuer: 'value', subject: 'value' },
  properties: {
    id: ({ id }) => id,
    name: ({ name }) => name,
    issuer: ({ issuer }) => issuer,
    subject: ({ subject }) => subject,
    description: ({ description }) => description,
    audiences: ({ audiences }) => audiences,
  },
}

const maxCredentials = 20

const oneAudience = 'must hold exactly one audience'

const changeable = {
  issuer: name(600).refine(isIssuer, 'must be an https URL without query and fragment'),
  subject: name(600),
  description: text(600).nullish(),
  audiences: bodyCollection(name(600), 1, oneAudience).refine(
    ({ length }) => length === 1,
    oneAudience,
  ),
}
const newCredential = z.strictObject({
  ...changeable,
  name: name(120).regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{2,}$/,
    'must be 3 to 120 letters, digits, hyphens and underscores',
  ),
})
const changedCredential = z.strictObject(changeable).partial()

function create(call: ChangingCall): Change {
  const application = findApplication(call)
  const { description = null, ...properties } = parseBody(newCredential, call.body)
  const credential = { id: call.runtime.newGuid(), description, ...properties }
  const others = application.federatedIdentityCredentials
  if (others.some((other) => other.name === credential.name)) {
    throw refuse('federated_credential_taken', credential.name)
  }
  if (others.length === maxCredentials) {
    throw refuse(
      'federated_credential_invalid',
      `An application must not have more than ${maxCredentials} federated identity credentials.`,
    )
  }
  requireUniqueSubject(credential, others)
  return withCredentials(
    application,
    [...others, credential],
    showCreated(call, credentials, credential),
  )
}

function update(call: ChangingCall): Change {
  const application = findApplication(call)
  const before = findCredential(call, application)
  const properties = parseBody(changedCredential, call.body)
  const after: FederatedIdentityCredential = {
    ...before,
    ...omitUndefined(properties),
  }
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
  answer: Change['answer'] = { status: 204 },
): Change => ({
  changes: [put('application', { ...application, federatedIdentityCredentials })],
  target: application.id,
  answer,
})

function findCredential(
  { parameters: { credential: key = '' } }: Call,
  { federatedIdentityCredentials }: Application,
): FederatedIdentityCredential {
  const credential = federatedIdentityCredentials.find(
    ({ id, name }) => id === key.toLowerCase() || name === key,
  )
  if (credential === undefined) throw refuse('resource_unknown', key)
  return credential
}

function requireUniqueSubject(
  { issuer, subject }: FederatedIdentityCredential,
  others: readonly FederatedIdentityCredential[],
): void {
  if (others.some((other) => other.issuer === issuer && other.subject === subject)) {
    throw refuse(
      'federated_credential_invalid',
      `The combination of issuer and subject must be unique for the application. Issuer ${issuer} and Subject: ${subject} already exist.`,
    )
  }
}

function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, search, hash, username, password } = new URL(text)
  return protocol === 'https:' && search + hash + username + password === ''
}
