import { z } from 'zod'
import type { NewPassword } from '../../../directory/application/password-credential.ts'
import { dateTime, text } from '../../../directory/properties/forms.ts'
import { omitUndefined } from '../../body/parse-body.ts'

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
