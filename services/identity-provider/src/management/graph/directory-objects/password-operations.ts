import { z } from 'zod'
import type { Application } from '../../../directory/application/application.ts'
import { passwordCredentialJson } from '../../../directory/application/password-credential.ts'
import { type DirectoryChange, put } from '../../../directory/directory-change.ts'
import { guid } from '../../../directory/properties/forms.ts'
import type { ServicePrincipal } from '../../../directory/service-principal/service-principal.ts'
import { parseBody } from '../../body/parse-body.ts'
import type { Call, Change, ChangeOperation, ChangingCall } from '../../operations/operation.ts'
import { writesApplications } from '../../privileges/graph-roles.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { newPassword, newPasswordBody } from './credential-body.ts'
import { findApplication, findServicePrincipal } from './find-object.ts'

/** An object that has secrets: where it is, and how it is found and changed. */
type SecretHolder<Entity extends Application | ServicePrincipal> = {
  readonly set: 'applications' | 'servicePrincipals'
  readonly action: 'application' | 'servicePrincipal'
  /** Where its secrets authenticate the application. */
  readonly extent: string
  readonly find: (call: Call) => Entity
  readonly put: (entity: Entity) => DirectoryChange
}

const operationsOf = <Entity extends Application | ServicePrincipal>(
  holder: SecretHolder<Entity>,
): ChangeOperation[] => [
  {
    method: 'POST',
    path: `/${holder.set}/{id}/addPassword`,
    requires: writesApplications,
    summary: `Creates a client secret${holder.extent}. It is in this answer only.`,
    takesBody: true,
    action: `${holder.action}.addPassword`,
    change: (call) => addPassword(call, holder),
  },
  {
    method: 'POST',
    path: `/${holder.set}/{id}/removePassword`,
    requires: writesApplications,
    summary: `Removes a client secret${holder.extent} by its keyId.`,
    takesBody: true,
    action: `${holder.action}.removePassword`,
    change: (call) => removePassword(call, holder),
  },
]

/** Client secrets: registration step 6. */
export const passwordOperations: readonly ChangeOperation[] = [
  ...operationsOf<Application>({
    set: 'applications',
    action: 'application',
    extent: '',
    find: findApplication,
    put: (application) => put('application', application),
  }),
  ...operationsOf<ServicePrincipal>({
    set: 'servicePrincipals',
    action: 'servicePrincipal',
    extent: ' for this tenant only',
    find: findServicePrincipal,
    put: (principal) => put('servicePrincipal', principal),
  }),
]

/** As in Microsoft Graph, an application has at most this many entries in all collections together. */
const maxSecrets = 1200

const addPasswordBody = z.strictObject({ passwordCredential: newPasswordBody.nullish() })
const removePasswordBody = z.strictObject({ keyId: guid })

function addPassword<Entity extends Application | ServicePrincipal>(
  call: ChangingCall,
  { find, put }: SecretHolder<Entity>,
): Change {
  const holder = find(call)
  const { passwordCredential } = parseBody(addPasswordBody, call.body)
  const { credential, secretText } = newPassword(passwordCredential ?? {}, call.runtime)
  const passwordCredentials = [...holder.passwordCredentials, credential]
  if (passwordCredentials.length > maxSecrets) {
    throw refuse('body_invalid', `An object must not have more than ${maxSecrets} secrets.`)
  }
  return {
    changes: [put({ ...holder, passwordCredentials })],
    target: holder.id,
    answer: {
      status: 200,
      body: {
        '@odata.context': `${call.rootUrl}/$metadata#microsoft.graph.passwordCredential`,
        ...passwordCredentialJson(credential),
        secretText,
      },
    },
  }
}

function removePassword<Entity extends Application | ServicePrincipal>(
  call: ChangingCall,
  { find, put }: SecretHolder<Entity>,
): Change {
  const holder = find(call)
  const { keyId } = parseBody(removePasswordBody, call.body)
  const passwordCredentials = holder.passwordCredentials.filter((one) => one.keyId !== keyId)
  if (passwordCredentials.length === holder.passwordCredentials.length) {
    throw refuse('password_unknown')
  }
  return {
    changes: [put({ ...holder, passwordCredentials })],
    target: holder.id,
    answer: { status: 204 },
  }
}
