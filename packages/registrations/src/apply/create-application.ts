import { application } from '../planning/directory/directory-state.ts'
import type { ChangeOf } from '../planning/steps/change.ts'
import type { ApplyContext } from './apply-context.ts'
import { parseAnswer, writesApplications } from './graph.ts'
import { type GraphRefusalError, ignoreRefusal } from './graph-refusal-error.ts'
import {
  addPassword,
  keepPasswords,
  type NewSecretChange,
  newPasswords,
  passwordCredential,
  removePassword,
} from './new-secrets.ts'

const line = { method: 'POST', path: '/applications' } as const

/**
 * Creates an application with its permissions and its secrets in one request. Its unique name is random:
 * only a request of this run can have created an application with it, so the request may be repeated.
 */
export async function createApplication(
  { application: displayName, requestedAccessTokenVersion }: ChangeOf<'createApplication'>,
  run: ApplyContext,
): Promise<void> {
  const included = run.initialChanges(displayName)
  const permissions = included.find((one) => one.kind === 'setPermissions')
  const secrets = included.filter((one) => one.kind === 'createSecret')
  const uniqueName = crypto.randomUUID()
  const body = {
    displayName,
    uniqueName,
    signInAudience: 'AzureADMyOrg',
    ...(requestedAccessTokenVersion && { api: { requestedAccessTokenVersion } }),
    ...(permissions && { requiredResourceAccess: requiredResourceAccess(permissions, run) }),
    ...(secrets.length > 0 && {
      passwordCredentials: secrets.map((one) => passwordCredential(one, run)),
    }),
  }
  const answer = await run
    .send({ ...line, body, role: writesApplications, repeatable: true })
    .catch(ignoreRefusal(isPresent))
  if (answer === undefined) await takeOver(uniqueName, displayName, secrets, run)
  else {
    const { id, appId } = parseAnswer(line, application, answer.body)
    await run.registerNew(displayName, { objectId: id, appId, servicePrincipalId: undefined })
    if (secrets.length > 0)
      await keepPasswords(secrets, parseAnswer(line, newPasswords, answer.body), run)
  }
  for (const change of included) run.done.add(change)
}

const isPresent = ({ reason }: GraphRefusalError) =>
  /same value for property uniqueName/.test(reason)

/** Continues with an application whose answer was lost. So were the texts of its secrets: it gets new ones. */
async function takeOver(
  uniqueName: string,
  displayName: string,
  secrets: readonly NewSecretChange[],
  run: ApplyContext,
): Promise<void> {
  const present = { method: 'GET', path: `/applications(uniqueName='${uniqueName}')` } as const
  const { body } = await run.send({ ...present, repeatable: true, expectsLag: true })
  const { id, appId, passwordCredentials } = parseAnswer(present, application, body)
  await run.registerNew(displayName, { objectId: id, appId, servicePrincipalId: undefined })
  for (const { keyId } of passwordCredentials) await removePassword(run, id, keyId)
  for (const secret of secrets) await addPassword(secret, run)
}

/** The permissions of a client, in the form of Graph. */
export function requiredResourceAccess(
  { permissions, delegated }: ChangeOf<'setPermissions'>,
  run: ApplyContext,
) {
  const access = new Map<string, { readonly id: string; readonly type: string }[]>()
  const add = (resourceAppId: string, ids: readonly string[], type: string) =>
    access.set(resourceAppId, [
      ...(access.get(resourceAppId) ?? []),
      ...ids.map((id) => ({ id, type })),
    ])
  for (const { api, roles } of permissions)
    add(
      run.handle(api).appId,
      roles.map(({ id }) => id),
      'Role',
    )
  for (const { resourceAppId, ids } of delegated) add(resourceAppId, ids, 'Scope')
  return [...access].map(([resourceAppId, resourceAccess]) => ({
    resourceAppId,
    resourceAccess,
  }))
}
