import { z } from 'zod'
import { application } from '../directory/directory-state.ts'
import type { ChangeOf } from '../planning/steps/change.ts'
import type { ApplyContext } from './apply-context.ts'
import { GraphRefusalError, parseAnswer, writesApplications } from './graph.ts'

export type NewSecretChange = ChangeOf<'createSecret' | 'rotateSecret'>

const newPassword = z.object({
  keyId: z.string(),
  endDateTime: z.iso.datetime({ offset: true }),
  secretText: z.string().min(1),
})
export const newPasswords = z.object({
  passwordCredentials: z.array(newPassword.extend({ displayName: z.string() })),
})

const dayMs = 86_400_000
/** A directory may store the end of a secret in whole seconds. */
const toleranceMs = 1000

export const passwordCredential = (
  { secret, lifetimeDays }: NewSecretChange,
  run: ApplyContext,
) => ({
  displayName: secret,
  endDateTime: new Date(+run.now() + lifetimeDays * dayMs).toISOString(),
})

export async function addPassword(change: NewSecretChange, run: ApplyContext): Promise<void> {
  const { objectId } = run.handle(change.application)
  const line = { method: 'POST', path: `/applications/${objectId}/addPassword` } as const
  const credential = passwordCredential(change, run)
  const body = { passwordCredential: credential }
  const send = () => run.send({ ...line, body, role: writesApplications })
  const answer = await send().catch(async (error: unknown) => {
    if (!isResultUnknown(error)) throw error
    await removeLost(credential, objectId, run)
    return send()
  })
  run.touched(objectId)
  await keepPassword(change, parseAnswer(line, newPassword, answer.body), run)
}

/** Whether the directory may have made a change, although its answer does not say so. */
const isResultUnknown = (error: unknown): boolean =>
  error instanceof GraphRefusalError
    ? error.status >= 500
    : error instanceof Error && 'code' in error && error.code === 'api_unreachable'

/** Removes a secret that the directory may have made, although its answer with the text was lost. */
async function removeLost(
  { displayName, endDateTime }: ReturnType<typeof passwordCredential>,
  objectId: string,
  run: ApplyContext,
): Promise<void> {
  const line = { method: 'GET', path: `/applications/${objectId}` } as const
  const { body } = await run.send({ ...line, repeatable: true })
  for (const one of parseAnswer(line, application, body).passwordCredentials) {
    const isSameEnd = Math.abs(+one.endDateTime - Date.parse(endDateTime)) < toleranceMs
    if (one.displayName === displayName && isSameEnd) await removePassword(run, objectId, one.keyId)
  }
}

/** Keeps the secrets of a new application in their order, and removes each secret that cannot be kept. */
export async function keepPasswords(
  changes: readonly NewSecretChange[],
  { passwordCredentials }: z.output<typeof newPasswords>,
  run: ApplyContext,
): Promise<void> {
  const failures: unknown[] = []
  for (const change of changes) {
    const made = passwordCredentials.find(({ displayName }) => displayName === change.secret)
    if (made !== undefined)
      await keepPassword(change, made, run).catch((error) => failures.push(error))
    else
      failures.push(
        new Error(`The response to POST /applications has no secret "${change.secret}"`),
      )
  }
  if (failures.length > 0) throw failures[0]
}

async function keepPassword(
  { application: client, apis, secret }: NewSecretChange,
  { keyId, secretText, endDateTime }: z.output<typeof newPassword>,
  run: ApplyContext,
): Promise<void> {
  const { objectId, appId } = run.handle(client)
  try {
    await run.secrets.keep({
      client,
      clientId: appId,
      apiApplicationIds: apis.map((api) => run.handle(api).appId),
      secret,
      keyId,
      endDateTime: new Date(endDateTime),
      secretText,
    })
  } catch (error) {
    // Remove the secret again: its text is lost, so it could only be misused.
    await removePassword(run, objectId, keyId).catch(() => undefined)
    throw error
  }
}

export async function removePassword(
  run: ApplyContext,
  objectId: string,
  keyId: string,
): Promise<void> {
  const path = `/applications/${objectId}/removePassword`
  const body = { keyId }
  await run.send({ method: 'POST', path, body, role: writesApplications, repeatable: true })
  run.touched(objectId)
}
