import { defaultAppManagementPolicyId } from '@greeting/directory'
import { z } from 'zod'
import type { ChangeOf } from '../planning/steps/change.ts'
import { type Policy, policyKinds } from '../policy-entries.ts'
import type { ApplyContext } from './apply-context.ts'
import {
  type GraphRefusalError,
  type GraphRequest,
  ignoreRefusal,
  parseAnswer,
  writesApplications,
  writesPolicies,
} from './graph.ts'

const created = z.object({ id: z.string() })
const listOf = (kind: Policy['kind']) => `policies/${policyKinds[kind].list}`

/** The changes of policies, and of their assignments. */
export const policyOperations = {
  async setPolicy({ policy, isNew }: ChangeOf<'setPolicy'>, run: ApplyContext): Promise<void> {
    const { id, kind, definition, displayName, description, isEnabled } = policy
    const { isOrganizationDefault } = policy
    const isDefault = id === defaultAppManagementPolicyId
    const rules =
      kind === 'tokenLifetime'
        ? { definition, isOrganizationDefault }
        : { isEnabled, ...(isDefault ? Object(definition) : { restrictions: definition }) }
    const body = isDefault ? rules : { displayName, description, ...rules }
    const one = isDefault ? 'policies/defaultAppManagementPolicy' : `${listOf(kind)}/${id}`
    const method = isNew ? 'POST' : 'PATCH'
    const line = { method, path: `/${isNew ? listOf(kind) : one}` } as const
    const answer = await run.send({ ...line, body, role: writesPolicies, repeatable: !isNew })
    if (isNew) run.policyIds.set(policy, parseAnswer(line, created, answer.body).id)
  },

  async deletePolicy({ policy: { id, kind } }: ChangeOf<'deletePolicy'>, run: ApplyContext) {
    await remove(`/${listOf(kind)}/${id}`, run, writesPolicies)
  },

  async assignPolicy(
    { application: name, policyKind, from, to }: ChangeOf<'assignPolicy'>,
    run: ApplyContext,
  ): Promise<void> {
    const { objectId } = run.handle(name)
    const path = `/applications/${objectId}/${policyKinds[policyKind].list}`
    if (from) await remove(`${path}/${from.id}/$ref`, run, writesPolicies)
    run.touched(objectId)
    if (to === undefined) return
    const id = run.policyIds.get(to) ?? to.id
    const body = { '@odata.id': `https://graph.microsoft.com/v1.0/${listOf(policyKind)}/${id}` }
    const request = { method: 'POST', path: `${path}/$ref`, body, role: writesPolicies } as const
    await run.send({ ...request, expectsLag: true })
  },
}

/** Deletes an object that another process may have deleted. */
export async function remove(
  path: string,
  run: ApplyContext,
  role: GraphRequest['role'] = writesApplications,
): Promise<void> {
  const request = { method: 'DELETE', path, role, repeatable: true } as const
  await run.send({ ...request, expectsLag: false }).catch(ignoreRefusal(isGone))
}

export const isGone = ({ status }: GraphRefusalError) => status === 404
