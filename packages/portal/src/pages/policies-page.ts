import { isDefault, type Policy, policyKinds } from '@greeting/registrations/planning'
import { html } from 'hono/html'
import { z } from 'zod'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { permitted, policiesOf, policyKindOf } from '../graph/policies.ts'
import { applicationPath } from '../layout/application-page.ts'
import { buttonForm, choice, danger, field, form } from '../layout/form.ts'
import { page } from '../layout/page.ts'
import type { ActionRow, PageRow } from '../layout/page-row.ts'
import { empty, type Html, named, table } from '../layout/parts.ts'

const path = '/portal/policies'
const secretRules = {
  '': 'no limit',
  P30D: '30 days',
  P90D: '90 days',
  P180D: '180 days',
  P365D: '365 days',
  none: 'no new secrets',
}
const lifetimes = ['00:10:00', '00:30:00', '01:00:00', '02:00:00', '08:00:00', '23:59:59']
const optionsOf = (all: Readonly<Record<string, string>>) =>
  Object.entries(all).map(([value, label]) => ({ value, label }))

const show: PageRow['show'] = async (request, { req }, attempt) => {
  const policies = await policiesOf(request, { isNamed: true })
  const chosen = policies.find(({ id }) => id === req.query('policy'))
  const byDefault = policies.find(isDefault)
  const ofTokens = policies.find((one) => one.isOrganizationDefault && !isDefault(one))
  const isStrict = byDefault?.isEnabled && permitted(byDefault) !== 'no restriction'
  const limitsSecrets = isStrict && permitted(byDefault).includes('secret')
  return page(request, {
    title: 'Policies',
    attempt,
    content: html`<section class="verdict ${isStrict ? 'good' : 'warn'}" aria-label="Verdict"><p>${isStrict ? html`The default policy permits: <strong>${permitted(byDefault)}</strong>.` : 'No policy limits the secrets and certificates of all applications.'} ${ofTokens ? html`The tenant gives ${permitted(ofTokens)}.` : 'Tokens live as the server is set.'}${!limitsSecrets && html` <a role="button" class="primary" href="#secrets">Limit secrets</a>`}</p></section>
${table(
  'Policies',
  ['Name', 'Kind', 'Permits', 'Applies to', 'Change'],
  policies.map((one) => row(request, one)),
  '',
)}
${chosen && (await assignedObjects(request, chosen))}
<h2 id="secrets">New secrets</h2>
${form(
  request,
  `${path}/secrets`,
  html`${choice({ name: 'limit', label: 'Longest lifetime', value: secretRuleOf(byDefault), options: optionsOf(secretRules), help: 'Of applications and service principals without a policy of their own. Secrets that exist stay.' }, attempt)}<button>Save</button>`,
)}
<h2>New token lifetime policy</h2>
${form(
  request,
  `${path}/lifetime`,
  html`${field({ name: 'policy_name', label: 'Name', required: true, maxLength: 120 }, attempt)}
${choice({ name: 'lifetime', label: 'Lifetime of access tokens, in hours, minutes and seconds', value: '01:00:00', options: lifetimes.map((value) => ({ value, label: value })) }, attempt)}
${choice({ name: 'scope', label: 'Applies to', options: optionsOf({ assigned: 'APIs to which it is assigned', ...(!ofTokens && { all: 'all APIs whose service principal has none' }) }) }, attempt)}<button>Create</button>`,
)}`,
  })
}

function row(request: AdministratorRequest, policy: Policy): Html[] {
  const { displayName, id, isOrganizationDefault, kind } = policy
  const deletion = buttonForm(request, `${path}/delete`, 'Delete', { id, kind }, 'danger')
  const objects = html`<a href="${path}?policy=${id}#assigned">Show objects</a>`
  const isFixed = isDefault(policy)
  return [
    displayName,
    kind === 'tokenLifetime' ? 'token lifetime' : 'app management',
    permitted(policy),
    isFixed ? 'all without a policy of their own' : isOrganizationDefault ? 'all APIs' : objects,
    isFixed ? '' : danger('Delete', html`${named(displayName)} has no effect any more.`, deletion),
  ]
}

const object = z.object({ appId: z.string(), displayName: z.string(), '@odata.type': z.string() })

async function assignedObjects(
  { graph }: AdministratorRequest,
  { displayName, id, kind }: Policy,
): Promise<Html> {
  const { value } = await graph.page(`/policies/${policyKinds[kind].list}/${id}/appliesTo`, object)
  return html`<h2 id="assigned">${named(displayName)} applies to</h2>
${value.length === 0 ? empty('It is assigned to no application.') : html`<ul>${value.map((one) => html`<li><a href="${applicationPath(one.appId)}"><bdi>${one.displayName}</bdi></a> <small>${one['@odata.type'].endsWith('application') ? 'application' : 'service principal'}</small></li>`)}</ul>`}`
}

const secretTypes = ['passwordAddition', 'passwordLifetime']

type Restriction = { readonly restrictionType: string; readonly maxLifetime?: string | null }

const restrictionsOf = (policy: Policy | undefined, side: string): readonly Restriction[] =>
  Object(Object(policy?.definition)[side]).passwordCredentials ?? []

/** The present limit of the form; a usual one when there is none. */
function secretRuleOf(policy: Policy | undefined): string {
  const all = policy?.isEnabled ? restrictionsOf(policy, 'applicationRestrictions') : []
  if (all.some(({ restrictionType: type }) => type === 'passwordAddition')) return 'none'
  return (
    all.find(({ restrictionType: type }) => type === 'passwordLifetime')?.maxLifetime ?? 'P180D'
  )
}

const limitSecrets: ActionRow['run'] = async (request, sent) => {
  const before = (await policiesOf(request, { isNamed: true })).find(isDefault)
  const maxLifetime = sent.get('limit') ?? ''
  const limit: Restriction =
    maxLifetime === 'none'
      ? { restrictionType: 'passwordAddition', maxLifetime: null }
      : { restrictionType: 'passwordLifetime', maxLifetime }
  const added = { ...limit, state: 'enabled', restrictForAppsCreatedAfterDateTime: null }
  const withLimit = (side: string) => ({
    passwordCredentials: [
      ...restrictionsOf(before, side).filter((one) => !secretTypes.includes(one.restrictionType)),
      ...(maxLifetime === '' ? [] : [added]),
    ],
  })
  const body = {
    isEnabled: maxLifetime !== '' || before?.isEnabled,
    applicationRestrictions: withLimit('applicationRestrictions'),
    servicePrincipalRestrictions: withLimit('servicePrincipalRestrictions'),
  }
  await request.graph.send({ method: 'PATCH', path: '/policies/defaultAppManagementPolicy', body })
  return path
}

const createLifetime: ActionRow['run'] = async ({ graph }, sent) => {
  const rules = { Version: 1, AccessTokenLifetime: sent.get('lifetime') ?? '' }
  const body = {
    displayName: (sent.get('policy_name') ?? '').trim(),
    definition: [JSON.stringify({ TokenLifetimePolicy: rules })],
    isOrganizationDefault: sent.get('scope') === 'all',
  }
  await graph.send({ method: 'POST', path: '/policies/tokenLifetimePolicies', body })
  return path
}

const remove: ActionRow['run'] = async ({ graph }, sent) => {
  const { list } = policyKinds[policyKindOf(sent.get('kind'))]
  const id = encodeURIComponent(sent.get('id') ?? '')
  await graph.send({ method: 'DELETE', path: `/policies/${list}/${id}` })
  return path
}

export const policiesPage: PageRow = {
  path,
  section: 'Policies',
  show,
  actions: [
    { suffix: '/secrets', run: limitSecrets },
    { suffix: '/lifetime', run: createLifetime },
    { suffix: '/delete', run: remove },
  ],
}
