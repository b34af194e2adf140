import { defaultAppManagementPolicyId } from '@greeting/directory'
import { z } from 'zod'
import type { ChangeOf } from '../planning/steps/change.ts'
import { type FilePolicy, policyKinds } from '../planning/steps/plan-policies.ts'
import type { ApplyContext } from './apply-context.ts'
import {
  type GraphRefusalError,
  type GraphRequest,
  ignoreRefusal,
  parseAnswer,
  writesApplications,
} from './graph.ts'

const writesPolicies = 'Policy.ReadWrite.ApplicationConfiguration'

const created = z.object({ id: z.string() })

/** The changes of policies, and of their assignments. */
export const policyOperations = {
  async setPolicy({ policy, isNew }: ChangeOf<'setPolicy'>, run: ApplyContext): Promise<void> {
    const { id, kind, definition, isEnabled, isOrganizationDefault } = policy
    const { displayName, description } = policy
    const named = { displayName, ...(description && { description }) }
    const isDefault = id === defaultAppManagementPolicyId
    const restrictions = isDefault
      ? { isEnabled, ...Object(definition) }
      : { ...named, isEnabled, restrictions: definition }
    const body =
      kind === 'tokenLifetime' ? { ...named, definition, isOrganizationDefault } : restrictions
    const list = `/policies/${policyKinds[kind as FilePolicy['kind']].list}`
    const path = isDefault ? '/policies/defaultAppManagementPolicy' : `${list}/${id}`
    if (!isNew) {
      await run.send({ method: 'PATCH', path, body, role: writesPolicies, repeatable: true })
      return
    }
    const line = { method: 'POST', path: list } as const
    const answer = await run.send({ ...line, body, role: writesPolicies })
    run.policyIds.set(policy, parseAnswer(line, created, answer.body).id)
  },

  async deletePolicy(
    { policy: { id, kind } }: ChangeOf<'deletePolicy'>,
    run: ApplyContext,
  ): Promise<void> {
    await remove(
      `/policies/${policyKinds[kind as FilePolicy['kind']].list}/${id}`,
      run,
      writesPolicies,
    )
  },

  async assignPolicy(
    { application: name, policyKind, from, to }: ChangeOf<'assignPolicy'>,
    run: ApplyContext,
  ): Promise<void> {
    const { list } = policyKinds[policyKind as FilePolicy['kind']]
    const path = `/applications/${run.handle(name).objectId}/${list}`
    if (from) await remove(`${path}/${from.id}/$ref`, run, writesPolicies)
    if (to === undefined) return
    const id = run.policyIds.get(to) ?? to.id
    const body = { '@odata.id': `https://graph.microsoft.com/v1.0/policies/${list}/${id}` }
    await run.send({
      method: 'POST',
      path: `${path}/$ref`,
      body,
      role: writesPolicies,
      expectsLag: true,
    })
    run.touched(run.handle(name).objectId)
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
