import { z } from 'zod'
import {
  createPassword,
  type NewPassword,
  type PasswordCredential,
} from '../../../directory/application/password-credential.ts'
import { dateTime, text } from '../../../directory/properties/forms.ts'
import type { Runtime } from '../../../directory/runtime.ts'
import { omitUndefined } from '../../body/parse-body.ts'
import { refuse } from '../../refusals/graph-error.ts'

/** The properties of a new secret in a body. */
export const newPasswordBody = z
  .strictObject({
    displayName: text().nullish(),
    startDateTime: dateTime.nullish(),
    endDateTime: dateTime.nullish(),
  })
  .transform(
    ({ displayName, startDateTime, endDateTime }): NewPassword =>
      omitUndefined({
        displayName: displayName ?? undefined,
        startDateTime: startDateTime ?? undefined,
        endDateTime: endDateTime ?? undefined,
      }),
  )

/** A new secret, and its text. */
export type CreatedPassword = {
  readonly credential: PasswordCredential
  readonly secretText: string
}

/**
 * Creates a secret of a body.
 *
 * @throws {GraphError} graph_refusal body_invalid when it would end before its start.
 */
export function newPassword(requested: NewPassword, runtime: Runtime): CreatedPassword {
  const created = createPassword(requested, runtime)
  const { endDateTime, startDateTime } = created.credential
  if (endDateTime <= startDateTime) {
    throw refuse('body_invalid', 'The credential must end after its start.')
  }
  return created
}
