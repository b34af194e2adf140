import { z } from 'zod'
import { put } from '../../../directory/directory-change.ts'
import { createPassword, type NewPassword } from '../../../directory/password-credential.ts'
import { refuse } from '../../http/graph-error.ts'
import type { Change, ChangeOperation, ChangingCall } from '../../http/operation.ts'
import { parseBody } from '../../http/parse-body.ts'
import { dateTime, guid, text } from '../../http/schemas.ts'
import { writesApplications } from '../graph-roles.ts'
import { passwordCredentialJson } from './credential-json.ts'
import { findApplication } from './find-application.ts'

/** Client secrets: registration step 6. */
export const passwordOperations: readonly ChangeOperation[] = [
  {
    method: 'POST',
    path: '/applications/{id}/addPassword',
    requires: writesApplications,
    summary: 'Creates a client secret. It is in this answer only.',
    takesBody: true,
    action: 'application.addPassword',
    change: addPassword,
  },
  {
    method: 'POST',
    path: '/applications/{id}/removePassword',
    requires: writesApplications,
    summary: 'Removes a client secret by its keyId.',
    takesBody: true,
    action: 'application.removePassword',
    change: removePassword,
  },
]

const addPasswordBody = z.strictObject({
  passwordCredential: z
    .strictObject({
      displayName: text().nullish(),
      startDateTime: dateTime.nullish(),
      endDateTime: dateTime.nullish(),
    })
    .nullish(),
})

const removePasswordBody = z.strictObject({ keyId: guid })

function addPassword(call: ChangingCall): Change {
  const application = findApplication(call)
  const { passwordCredential } = parseBody(addPasswordBody, call.body)
  const options = Object.fromEntries(
    Object.entries(passwordCredential ?? {}).filter(([, value]) => value != null),
  ) as NewPassword
  const { credential, secretText } = createPassword(options, call.runtime)
  if (credential.endDateTime <= credential.startDateTime) {
    throw refuse('body_invalid', 'The credential must end after its start.')
  }
  return {
    changes: [
      put('application', {
        ...application,
        passwordCredentials: [...application.passwordCredentials, credential],
      }),
    ],
    target: application.id,
    answer: {
      status: 200,
      body: {
        '@odata.context': `${call.rootUrl}/$metadata#microsoft.graph.passwordCredential`,
        ...passwordCredentialJson(credential, undefined),
        secretText,
      },
    },
  }
}

function removePassword(call: ChangingCall): Change {
  const application = findApplication(call)
  const { keyId } = parseBody(removePasswordBody, call.body)
  const kept = application.passwordCredentials.filter((one) => one.keyId !== keyId)
  if (kept.length === application.passwordCredentials.length) throw refuse('password_unknown')
  return {
    changes: [put('application', { ...application, passwordCredentials: kept })],
    target: application.id,
    answer: { status: 204 },
  }
}
