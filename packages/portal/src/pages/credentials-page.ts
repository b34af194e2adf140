import { X509Certificate } from 'node:crypto'
import { day } from '@greeting/registrations/planning'
import { html } from 'hono/html'
import { z } from 'zod'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { actionFault } from '../graph/administrator-request.ts'
import { type ApplicationView, type Registered, readRegistered } from '../graph/applications.ts'
import { applicationPath } from '../layout/application-page.ts'
import { applicationPage, tabPage } from '../layout/application-tab.ts'
import {
  type Attempt,
  buttonForm,
  choice,
  danger,
  field,
  form,
  hiddenFields,
} from '../layout/form.ts'
import type { ActionRow, PageRow } from '../layout/page-row.ts'
import type { Html } from '../layout/parts.ts'
import { copyable, facts, mark, table, time } from '../layout/parts.ts'
import { settingsToPaste } from '../layout/ready-lines.ts'
import { federatedActions, federatedCredentials } from './federated-credentials.ts'

const base = applicationPath(':appId', 'Certificates & secrets')
const dayMs = 86_400_000
const lifetimes = [30, 90, 180, 365, 730] as const
/** Certificates are at most this long as text. */
const certificateBody = { maxBodyBytes: 256 * 1024 }

const newPassword = z.object({
  keyId: z.string(),
  endDateTime: z.iso.datetime().transform((text) => new Date(text)),
  secretText: z.string(),
})

type Credential = Pick<
  ApplicationView['passwordCredentials'][number],
  'startDateTime' | 'endDateTime'
>

const stateOf = ({ startDateTime, endDateTime }: Credential, now: Date) =>
  endDateTime <= now
    ? mark('bad', 'ended')
    : startDateTime > now
      ? mark('warn', 'not valid yet')
      : mark('good', 'valid')

const show = tabPage('Certificates & secrets', async (request, registered, attempt) => {
  const { application } = registered
  const path = applicationPath(application.appId, 'Certificates & secrets')
  const { now } = request
  return html`<p>Several credentials may be valid at the same time. The value of a secret is shown once, when it is made.</p>
<h2>Client secrets</h2>
${table(
  'Client secrets',
  ['Description', 'Value', 'State', 'Ends', 'Last used', 'Change'],
  application.passwordCredentials.map((one) => [
    one.displayName ?? 'without description',
    html`<code>${one.hint ?? ''}…</code>`,
    stateOf(one, now),
    time(one.endDateTime, now),
    time(one.lastUsedDateTime, now),
    html`<a href="${path}/${one.keyId}/replace">Replace</a> ${removeForm(request, path, 'secret', one.keyId)}`,
  ]),
  'This application has no secret.',
)}
${secretForm(request, path, attempt)}
<h2>Certificates</h2>
${table(
  'Certificates',
  ['Description', 'Thumbprint', 'State', 'Ends', 'Last used', 'Change'],
  application.keyCredentials.map((one) => [
    one.displayName ?? 'without description',
    html`<code>${one.customKeyIdentifier ?? ''}</code>`,
    stateOf(one, now),
    time(one.endDateTime, now),
    time(one.lastUsedDateTime, now),
    removeForm(request, path, 'certificate', one.keyId),
  ]),
  'This application has no certificate.',
)}
<details${attempt?.form.has('pem') ? html` open` : ''}><summary>Add a certificate</summary>
${form(
  request,
  `${path}/certificates`,
  html`${hiddenFields({ etag: application['@odata.etag'] ?? '' })}
${field({ name: 'certificate_name', label: 'Description', maxLength: 120 }, attempt)}
<label>Certificate in PEM, without the private key
<textarea name="pem" rows="6" required spellcheck="false">${attempt?.form.get('pem') ?? ''}</textarea></label>
<button>Add</button>`,
)}</details>
${await federatedCredentials(request, registered, attempt)}
${credentialsOfPrincipal(registered, now)}
${await settingsToPaste(request, registered)}`
})

/** Programs create these over Microsoft Graph, so the portal shows them only when there are some. */
function credentialsOfPrincipal({ principal }: Registered, now: Date): Html {
  const { keyCredentials = [], passwordCredentials = [] } = principal ?? {}
  if (keyCredentials.length + passwordCredentials.length === 0) return html``
  return html`<h2>Credentials of the service principal</h2>
<p>They authenticate the application in this tenant only. Programs change them over Microsoft Graph.</p>
${table(
  'Credentials of the service principal',
  ['Description', 'Value or thumbprint', 'State', 'Ends', 'Last used'],
  [
    ...passwordCredentials.map((one) => ({ ...one, value: `${one.hint ?? ''}…` })),
    ...keyCredentials.map((one) => ({ ...one, value: one.customKeyIdentifier ?? '' })),
  ].map((one) => [
    one.displayName ?? 'without description',
    html`<code>${one.value}</code>`,
    stateOf(one, now),
    time(one.endDateTime, now),
    time(one.lastUsedDateTime, now),
  ]),
  '',
)}`
}

const removeForm = (
  request: AdministratorRequest,
  path: string,
  kind: 'secret' | 'certificate',
  keyId: string,
) =>
  danger(
    'Remove',
    `Programs that use this ${kind} get no token any more.`,
    buttonForm(request, `${path}/remove-${kind}`, 'Remove', { key_id: keyId }, 'danger'),
  )

const secretForm = (
  request: AdministratorRequest,
  path: string,
  attempt?: Attempt,
  description = '',
) =>
  form(
    request,
    `${path}/secrets`,
    html`${field({ name: 'description', label: 'Description', value: description, maxLength: 120 }, attempt)}
${choice(
  {
    name: 'days',
    label: 'Ends after',
    value: '180',
    options: lifetimes.map((days) => ({ value: String(days), label: `${days} days` })),
  },
  attempt,
)}<button>New client secret</button>`,
  )

const addSecret: ActionRow['run'] = (request, sent, { req }) =>
  makeSecret(
    request,
    req.param('appId') ?? '',
    (sent.get('description') ?? '').trim(),
    lifetimes.find((one) => String(one) === sent.get('days')),
  )

/** Makes a secret, and shows it once, in the answer to the form. */
export async function makeSecret(
  request: AdministratorRequest,
  appId: string,
  description: string,
  days: number = 180,
): Promise<Response> {
  const { application } = await readRegistered(request, appId)
  const endDateTime = new Date(request.now.getTime() + days * dayMs).toISOString()
  const displayName = description || `Made on ${day(request.now)}`
  const { body } = await request.graph.send({
    method: 'POST',
    path: `/applications/${application.id}/addPassword`,
    body: { passwordCredential: { displayName, endDateTime } },
  })
  const secret = newPassword.parse(body)
  const registered = await readRegistered(request, appId)
  return applicationPage(
    request,
    registered,
    'Certificates & secrets',
    html`<p role="status" class="done"><strong>The secret was made.</strong> Copy its value now. It is not shown again.</p>
${facts([
  ['Value', copyable(secret.secretText)],
  ['Ends', time(secret.endDateTime, request.now)],
])}
${await settingsToPaste(request, registered, secret.secretText)}
<p><a href="${applicationPath(appId, 'Certificates & secrets')}">All credentials</a></p>`,
  )
}

/** The replacement of a secret without an interruption: make, use, remove. */
const showReplacement: PageRow['show'] = async (request, { req }, attempt) => {
  const registered = await readRegistered(request, req.param('appId') ?? '')
  const { application } = registered
  const path = applicationPath(application.appId, 'Certificates & secrets')
  const keyId = req.param('keyId') ?? ''
  const old = application.passwordCredentials.find((one) => one.keyId === keyId)
  if (old === undefined) {
    const content = html`<p class="done">The secret is removed. <a href="${path}">All credentials</a></p>`
    return applicationPage(request, registered, 'Certificates & secrets', content, attempt)
  }
  const newer = application.passwordCredentials
    .filter((one) => one.keyId !== keyId && one.startDateTime > old.startDateTime)
    .toSorted((one, other) => +other.startDateTime - +one.startDateTime)[0]
  const isUsed = newer?.lastUsedDateTime != null
  const step = (isDone: boolean) => mark(isDone ? 'good' : 'plain', isDone ? 'done' : 'open')
  const content = html`<h2>Replace the secret “${old.displayName ?? old.hint}”</h2>
<ol>
<li><h3>Make a new secret ${step(newer !== undefined)}</h3>
${newer ? html`<p>“${newer.displayName ?? newer.hint}”, made ${time(newer.startDateTime, request.now)}.</p>` : secretForm(request, path, attempt, old.displayName ?? '')}</li>
<li><h3>Use it in every program ${step(isUsed)}</h3>
<p>New secret last used: ${time(newer?.lastUsedDateTime, request.now)}. Old secret last used: ${time(old.lastUsedDateTime, request.now)}.</p></li>
<li><h3>Remove the old secret ${step(false)}</h3>
<p>${isUsed ? 'Programs that still use the old secret get AADSTS7000215 from then on.' : 'Wait until the new secret is in use.'}</p>
${removeForm(request, path, 'secret', keyId)}</li>
</ol>`
  return applicationPage(request, registered, 'Certificates & secrets', content, attempt)
}

const removeSecret: ActionRow['run'] = async (request, sent, { req }) => {
  const appId = req.param('appId') ?? ''
  const { application } = await readRegistered(request, appId)
  await request.graph.send({
    method: 'POST',
    path: `/applications/${application.id}/removePassword`,
    body: { keyId: sent.get('key_id') ?? '' },
  })
  return applicationPath(appId, 'Certificates & secrets')
}

const kept = ({ keyId, displayName }: ApplicationView['keyCredentials'][number]) => ({
  keyId,
  displayName,
  type: 'AsymmetricX509Cert',
  usage: 'Verify',
})

const addCertificate: ActionRow['run'] = async (request, sent, { req }) => {
  const appId = req.param('appId') ?? ''
  const { application } = await readRegistered(request, appId)
  const { displayName, key } = certificateOf(sent)
  const added = { type: 'AsymmetricX509Cert', usage: 'Verify', displayName, key }
  await request.graph.send({
    method: 'PATCH',
    path: `/applications/${application.id}`,
    body: { keyCredentials: [...application.keyCredentials.map(kept), added] },
    ifMatch: sent.get('etag'),
  })
  return applicationPath(appId, 'Certificates & secrets')
}

function certificateOf(sent: ReadonlyMap<string, string>) {
  const pem = sent.get('pem') ?? ''
  if (pem.includes('PRIVATE KEY')) {
    throw actionFault(
      'The text contains a private key. Only the client may have it. Nothing was stored.',
    )
  }
  try {
    const { raw, subject } = new X509Certificate(pem)
    const displayName = (sent.get('certificate_name') ?? '').trim() || subject.slice(0, 100)
    return { displayName, key: raw.toString('base64') }
  } catch (cause) {
    throw actionFault('The text is not an X.509 certificate in PEM.', { cause })
  }
}

const removeCertificate: ActionRow['run'] = async (request, sent, { req }) => {
  const appId = req.param('appId') ?? ''
  const { application } = await readRegistered(request, appId)
  const keyCredentials = application.keyCredentials
    .filter(({ keyId }) => keyId !== sent.get('key_id'))
    .map(kept)
  await request.graph.send({
    method: 'PATCH',
    path: `/applications/${application.id}`,
    body: { keyCredentials },
    ifMatch: application['@odata.etag'],
  })
  return applicationPath(appId, 'Certificates & secrets')
}

export const credentialsPages: readonly PageRow[] = [
  {
    path: base,
    section: 'App registrations',
    show,
    actions: [
      { suffix: '/secrets', run: addSecret },
      { suffix: '/remove-secret', run: removeSecret },
      { suffix: '/certificates', run: addCertificate, body: certificateBody },
      { suffix: '/remove-certificate', run: removeCertificate },
      ...federatedActions,
    ],
  },
  { path: `${base}/:keyId/replace`, section: 'App registrations', show: showReplacement },
]
