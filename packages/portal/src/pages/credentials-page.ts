import { X509Certificate } from 'node:crypto'
import { html } from 'hono/html'
import { z } from 'zod'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { actionFault } from '../graph/administrator-request.ts'
import { type ApplicationView, type Registered, readRegistered } from '../graph/application-view.ts'
import { scopesOf } from '../graph/scopes.ts'
import { applicationPage, applicationPath, tabPage } from '../layout/application-page.ts'
import { type Attempt, buttonForm, choice, field, form, hiddenFields } from '../layout/form.ts'
import type { ActionRow, PageRow } from '../layout/page-row.ts'
import type { Html } from '../layout/parts.ts'
import { copyable, facts, mark, snippet, table, time } from '../layout/parts.ts'
import { readyLines } from '../layout/ready-lines.ts'
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

const show = tabPage('Certificates & secrets', async (visit, registered, attempt) => {
  const { application } = registered
  const path = applicationPath(application.appId, 'Certificates & secrets')
  const { now } = visit
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
    html`<a href="${path}/${one.keyId}/replace">Replace</a> ${removeForm(visit, path, 'secret', one.keyId)}`,
  ]),
  'This application has no secret. Make the first one below.',
)}
${secretForm(visit, path, attempt)}
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
    removeForm(visit, path, 'certificate', one.keyId),
  ]),
  'This application has no certificate.',
)}
<details${attempt?.form.has('pem') ? html` open` : ''}><summary>Add a certificate</summary>
${form(
  visit,
  `${path}/certificates`,
  html`${hiddenFields({ etag: application['@odata.etag'] ?? '' })}
${field({ name: 'certificate_name', label: 'Description', maxLength: 120 }, attempt)}
<label>Certificate in PEM, without the private key
<textarea name="pem" rows="6" required spellcheck="false">${attempt?.form.get('pem') ?? ''}</textarea></label>
<button>Add</button>`,
)}</details>
${await federatedCredentials(visit, registered, attempt)}
${credentialsOfPrincipal(registered, now)}`
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
  visit: AdministratorRequest,
  path: string,
  kind: 'secret' | 'certificate',
  keyId: string,
) => buttonForm(visit, `${path}/remove-${kind}`, 'Remove', { key_id: keyId }, 'danger')

const secretForm = (
  visit: AdministratorRequest,
  path: string,
  attempt?: Attempt,
  description = '',
) =>
  form(
    visit,
    `${path}/secrets`,
    html`<h3>New client secret</h3>${field({ name: 'description', label: 'Description', value: description, maxLength: 120 }, attempt)}
${choice(
  {
    name: 'days',
    label: 'Ends after',
    value: '180',
    options: lifetimes.map((days) => ({ value: String(days), label: `${days} days` })),
  },
  attempt,
)}<button>Make a secret</button>`,
  )

/** Makes a secret, and shows it once, in the answer to the form. */
const addSecret: ActionRow['run'] = async (visit, sent, { req }) => {
  const appId = req.param('appId') ?? ''
  const { application } = await readRegistered(visit, appId)
  const days = lifetimes.find((one) => String(one) === sent.get('days')) ?? 180
  const endDateTime = new Date(visit.now.getTime() + days * dayMs).toISOString()
  const displayName = (sent.get('description') ?? '').trim() || null
  const { body } = await visit.graph.send({
    method: 'POST',
    path: `/applications/${application.id}/addPassword`,
    body: { passwordCredential: { displayName, endDateTime } },
  })
  const secret = newPassword.parse(body)
  const registered = await readRegistered(visit, appId)
  return applicationPage(
    visit,
    registered,
    'Certificates & secrets',
    html`<p role="status" class="done"><strong>The secret was made.</strong> Copy its value now. It is not shown again.</p>
${facts([
  ['Value', copyable(secret.secretText)],
  ['Ends', time(secret.endDateTime, visit.now)],
])}
<h2>Ready lines</h2>
${await lines(visit, registered, secret.secretText)}
<p><a href="${applicationPath(appId, 'Certificates & secrets')}">All credentials</a></p>`,
  )
}

async function lines(
  visit: AdministratorRequest,
  registered: Registered,
  secret: string,
): Promise<Html> {
  const { authUrl } = visit.host
  const [scope = 'api://<application ID of the API>/.default'] = await scopesOf(visit, registered)
  const settings = {
    authUrl,
    httpsAuthUrl: visit.host.httpsAuthUrl ?? authUrl,
    tenantId: visit.session.tenantId,
    clientId: registered.application.appId,
    secret,
    scope,
  }
  return readyLines.map(
    ({ name, lines: text }, index) =>
      html`<details${index === 0 ? html` open` : ''}><summary>${name}</summary>${snippet(text(settings), name)}</details>`,
  )
}

/** The replacement of a secret without an interruption: make, use, remove. */
const showReplacement: PageRow['show'] = async (visit, { req }, attempt) => {
  const registered = await readRegistered(visit, req.param('appId') ?? '')
  const { application } = registered
  const path = applicationPath(application.appId, 'Certificates & secrets')
  const keyId = req.param('keyId') ?? ''
  const old = application.passwordCredentials.find((one) => one.keyId === keyId)
  if (old === undefined) {
    const content = html`<p class="done">The secret is removed. <a href="${path}">All credentials</a></p>`
    return applicationPage(visit, registered, 'Certificates & secrets', content, attempt)
  }
  const newer = application.passwordCredentials
    .filter((one) => one.keyId !== keyId && one.startDateTime > old.startDateTime)
    .toSorted((one, other) => +other.startDateTime - +one.startDateTime)[0]
  const isUsed = newer?.lastUsedDateTime != null
  const step = (isDone: boolean) => mark(isDone ? 'good' : 'plain', isDone ? 'done' : 'open')
  const content = html`<h2>Replace the secret “${old.displayName ?? old.hint}”</h2>
<ol>
<li><h3>Make a new secret ${step(newer !== undefined)}</h3>
${newer ? html`<p>“${newer.displayName ?? newer.hint}”, made ${time(newer.startDateTime, visit.now)}.</p>` : secretForm(visit, path, attempt, old.displayName ?? '')}</li>
<li><h3>Use it in every program ${step(isUsed)}</h3>
<p>New secret last used: ${time(newer?.lastUsedDateTime, visit.now)}. Old secret last used: ${time(old.lastUsedDateTime, visit.now)}.</p></li>
<li><h3>Remove the old secret ${step(false)}</h3>
<p>${isUsed ? 'Programs that still use the old secret get AADSTS7000215 from then on.' : 'Wait until the new secret is in use.'}</p>
${removeForm(visit, path, 'secret', keyId)}</li>
</ol>`
  return applicationPage(visit, registered, 'Certificates & secrets', content, attempt)
}

const removeSecret: ActionRow['run'] = async (visit, sent, { req }) => {
  const appId = req.param('appId') ?? ''
  const { application } = await readRegistered(visit, appId)
  await visit.graph.send({
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

const addCertificate: ActionRow['run'] = async (visit, sent, { req }) => {
  const appId = req.param('appId') ?? ''
  const { application } = await readRegistered(visit, appId)
  const { displayName, key } = certificateOf(sent)
  const added = { type: 'AsymmetricX509Cert', usage: 'Verify', displayName, key }
  await visit.graph.send({
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

const removeCertificate: ActionRow['run'] = async (visit, sent, { req }) => {
  const appId = req.param('appId') ?? ''
  const { application } = await readRegistered(visit, appId)
  const keyCredentials = application.keyCredentials
    .filter(({ keyId }) => keyId !== sent.get('key_id'))
    .map(kept)
  await visit.graph.send({
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
