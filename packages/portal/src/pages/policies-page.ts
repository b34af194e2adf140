import { html } from 'hono/html'
import { z } from 'zod'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import {
  credentialPolicy,
  daysText,
  noLimit,
  type PolicyView,
  policySets,
  type Restrictions,
  readDefaultPolicy,
  readPolicies,
} from '../graph/policies.ts'
import { applicationPath } from '../layout/application-page.ts'
import { buttonForm, choice, danger, field, form } from '../layout/form.ts'
import { page } from '../layout/page.ts'
import type { ActionRow, PageRow } from '../layout/page-row.ts'
import { empty, type Html, named, table } from '../layout/parts.ts'

const path = '/portal/policies'
const secretDays = [30, 90, 180, 365]
const lifetimes = ['00:10:00', '00:30:00', '01:00:00', '02:00:00', '08:00:00', '23:59:59']
const scopes = { assigned: 'APIs to which it is assigned', all: 'all APIs without an assigned one' }

const show: PageRow['show'] = async (request, { req }, attempt) => {
  const [byDefault, others] = await Promise.all([credentialPolicy(request), readPolicies(request)])
  const chosen = others.find(({ id }) => id === req.query('policy'))
  const isStrict = byDefault.rules !== noLimit
  const lifetime = others.find(({ isDefault, set }) => isDefault && set === 'tokenLifetimePolicies')
  const limit = byDefault.maxSecretDays
  return page(request, {
    title: 'Policies',
    attempt,
    content: html`<section class="verdict ${isStrict ? 'good' : 'warn'}" aria-label="Verdict"><p>${isStrict ? html`Applications may have: <strong>${byDefault.rules}</strong>.` : 'No policy limits the secrets and certificates of all applications.'} ${lifetime ? html`APIs get ${lifetime.rules}.` : 'Tokens live as the server is set.'}${!isStrict && html` <a role="button" class="primary" href="#secrets">Limit secrets</a>`}</p></section>
${table(
  'Policies',
  ['Name', 'Kind', 'Permits', 'Applies to', 'Change'],
  [byDefault, ...others].map((one) => row(request, one, one === byDefault)),
  '',
)}
${chosen && (await assignedObjects(request, chosen))}
<h2 id="secrets">New secrets</h2>
${form(
  request,
  `${path}/secrets`,
  html`${choice(
    {
      name: 'days',
      label: 'Longest lifetime',
      value: limit === 0 ? 'none' : String(secretDays.find((days) => days === limit) ?? 180),
      options: [
        { value: '', label: 'no limit' },
        ...secretDays.map((days) => ({ value: String(days), label: daysText(days) })),
        { value: 'none', label: 'no new secrets' },
      ],
      help: 'Of applications and service principals without a policy of their own. Secrets that exist stay.',
    },
    attempt,
  )}<button>Save</button>`,
)}
<h2>New token lifetime policy</h2>
${form(
  request,
  `${path}/lifetime`,
  html`${field({ name: 'policy_name', label: 'Name', required: true, maxLength: 120 }, attempt)}
${choice({ name: 'lifetime', label: 'Lifetime of access tokens, in hours, minutes and seconds', value: '01:00:00', options: lifetimes.map((value) => ({ value, label: value })) }, attempt)}
${choice({ name: 'scope', label: 'Applies to', options: Object.entries(scopes).flatMap(([value, label]) => (value === 'all' && lifetime ? [] : { value, label })), ...(lifetime && { help: `${lifetime.displayName} is the one policy for all APIs.` }) }, attempt)}<button>Create</button>`,
)}`,
  })
}

function row(request: AdministratorRequest, one: PolicyView, isFixed: boolean): Html[] {
  const { displayName, id, isDefault, rules, set } = one
  const deletion = buttonForm(request, `${path}/delete`, 'Delete', { id, set }, 'danger')
  const objects = html`<a href="${path}?policy=${id}#assigned">Show objects</a>`
  return [
    displayName,
    policySets[set],
    rules,
    isDefault ? 'all without a policy of their own' : objects,
    isFixed ? '' : danger('Delete', html`${named(displayName)} has no effect any more.`, deletion),
  ]
}

const object = z.object({
  appId: z.string().nullish(),
  displayName: z.string().nullish(),
  '@odata.type': z.string().nullish(),
})

async function assignedObjects(
  { graph }: AdministratorRequest,
  { displayName, id, set }: PolicyView,
): Promise<Html> {
  const { value } = await graph.page(`/policies/${set}/${id}/appliesTo`, object)
  const list = value.map(
    (one) =>
      html`<li><a href="${applicationPath(one.appId ?? '')}"><bdi>${one.displayName}</bdi></a> <small>${one['@odata.type']?.endsWith('application') ? 'application' : 'service principal'}</small></li>`,
  )
  return html`<h2 id="assigned">${named(displayName)} applies to</h2>${list.length > 0 ? html`<ul>${list}</ul>` : empty('It is assigned to no application.')}`
}

const limitSecrets: ActionRow['run'] = async (request, sent) => {
  const before = await readDefaultPolicy(request)
  const days = sent.get('days') ?? ''
  const limit =
    days === 'none'
      ? { restrictionType: 'passwordAddition', maxLifetime: null }
      : { restrictionType: 'passwordLifetime', maxLifetime: `P${days}D` }
  const always = { state: 'enabled', restrictForAppsCreatedAfterDateTime: null }
  const withLimit = ({ passwordCredentials }: Restrictions) => ({
    passwordCredentials: [
      ...passwordCredentials.filter(
        ({ restrictionType: type }) => type !== 'passwordAddition' && type !== 'passwordLifetime',
      ),
      ...(days === '' ? [] : [{ ...limit, ...always }]),
    ],
  })
  const body = {
    isEnabled: days !== '' || before.isEnabled,
    applicationRestrictions: withLimit(before.applicationRestrictions),
    servicePrincipalRestrictions: withLimit(before.servicePrincipalRestrictions),
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
  const set = Object.keys(policySets).find((one) => one === sent.get('set')) ?? ''
  const id = encodeURIComponent(sent.get('id') ?? '')
  await graph.send({ method: 'DELETE', path: `/policies/${set}/${id}` })
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
