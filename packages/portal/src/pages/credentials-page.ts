import { X509Certificate } from 'node:crypto'
import { day } from '@greeting/registrations/directory'
import { html } from 'hono/html'
import { z } from 'zod'
import { type AdministratorRequest, actionFault } from '../graph/administrator-request.ts'
import { type ApplicationView, readRegistered } from '../graph/applications.ts'
import { applicationPath } from '../layout/application-page.ts'
import { applicationPage, changeAction, patchOf, tabPage } from '../layout/application-tab.ts'
import {
  type Attempt,
  buttonForm,
  choice,
  danger,
  field,
  form,
  hiddenFields,
  lines,
} from '../layout/form.ts'
import type { ActionRow, PageRow } from '../layout/page-row.ts'
import { copyable, facts, type Html, mark, table, time } from '../layout/parts.ts'
import { settingsToPaste } from '../layout/ready-lines.ts'
import { federatedActions, federatedCredentials } from './federated-credentials.ts'

const tab = 'Certificates & secrets'
const base = applicationPath(':appId', tab)
const dayMs = 86_400_000
const lifetimes = [30, 90, 180, 365, 730] as const
/** Certificates are at most this long as text. */
const certificateBody = { maxBodyBytes: 256 * 1024 }

const newPassword = z.object({
  keyId: z.string(),
  endDateTime: z.iso.datetime().transform((text) => new Date(text)),
  secretText: z.string(),
})

type Credential = ApplicationView['passwordCredentials'][number] & {
  readonly customKeyIdentifier?: string | null | undefined
}

const stateOf = ({ startDateTime, endDateTime }: Credential, now: Date) =>
  endDateTime <= now
    ? mark('bad', 'expired')
    : startDateTime > now
      ? mark('plain', 'not valid yet')
      : mark('good', 'valid')

/** The credentials of one kind, with what changes each. */
const credentialTable = (
  label: string,
  { now }: AdministratorRequest,
  credentials: readonly Credential[],
  none: string,
  change?: (one: Credential) => Html,
) =>
  table(
    label,
    [
      'Description',
      'Value or thumbprint',
      'State',
      'Expires',
      'Last used',
      ...(change ? ['Change'] : []),
    ],
    credentials.map((one) => [
      one.displayName ?? 'no description',
      html`<code>${one.customKeyIdentifier ?? `${one.hint ?? ''}…`}</code>`,
      stateOf(one, now),
      time(one.endDateTime, now),
      time(one.lastUsedDateTime, now),
      ...(change ? [change(one)] : []),
    ]),
    none,
  )

const show = tabPage(tab, async (request, registered, attempt) => {
  const { application, principal } = registered
  const path = applicationPath(application.appId, tab)
  // Programs create these over Microsoft Graph, so they are shown only when there are some.
  const ofPrincipal = [
    ...(principal?.passwordCredentials ?? []),
    ...(principal?.keyCredentials ?? []),
  ]
  return html`<p>Several credentials may be valid at the same time. The value of a secret is shown once, when it is created.</p>
<h2>Client secrets</h2>
${credentialTable(
  'Client secrets',
  request,
  application.passwordCredentials,
  'This application has no secret.',
  (one) =>
    html`<a href="${path}/${one.keyId}/replace">Replace<span class="read"> ${one.displayName}</span></a> ${removeForm(request, path, 'secret', one)}`,
)}
${secretForm(request, application, attempt)}
<h2>Certificates</h2>
${credentialTable(
  'Certificates',
  request,
  application.keyCredentials,
  'This application has no certificate.',
  (one) => removeForm(request, path, 'certificate', one),
)}
<details${attempt?.form.has('pem') ? html` open` : ''}><summary>Add a certificate</summary>
${form(
  request,
  `${path}/certificates`,
  html`${hiddenFields({ etag: application['@odata.etag'] ?? '' })}
${field({ name: 'certificate_name', label: 'Description', maxLength: 120 }, attempt)}
${lines({ name: 'pem', label: 'Certificate in PEM format, without the private key', rows: 6, required: true }, attempt)}
<button>Add the certificate</button>`,
)}</details>
${await federatedCredentials(request, registered, attempt)}
${
  ofPrincipal.length > 0 &&
  html`<h2>Credentials of the service principal</h2>
<p>They authenticate the application in this tenant only. Programs change them with Microsoft Graph.</p>
${credentialTable('Credentials of the service principal', request, ofPrincipal, '')}`
}
${await settingsToPaste(request, registered)}`
})

const removeForm = (
  request: AdministratorRequest,
  path: string,
  kind: 'secret' | 'certificate',
  { keyId, displayName }: Credential,
) =>
  danger(
    ['Remove', displayName ?? kind],
    `Programs that use this ${kind} will no longer get tokens.`,
    buttonForm(request, `${path}/remove-${kind}`, `Remove ${kind}`, { key_id: keyId }, 'danger'),
  )

const secretForm = (
  request: AdministratorRequest,
  { appId, '@odata.etag': etag = '' }: ApplicationView,
  attempt?: Attempt,
  description = '',
) =>
  form(
    request,
    `${applicationPath(appId, tab)}/secrets`,
    html`${hiddenFields({ etag })}${field({ name: 'description', label: 'Description', value: description, maxLength: 120 }, attempt)}
${choice(
  {
    name: 'days',
    label: 'Expires after',
    value: '180',
    options: lifetimes.map((one) => ({ value: String(one), label: `${one} days` })),
  },
  attempt,
)}<button>New client secret</button>`,
  )

const addSecret: ActionRow['run'] = (request, sent, { req }) =>
  makeSecret(
    request,
    req.param('appId') ?? '',
    (sent.get('description') ?? '').trim(),
    Number(sent.get('days')),
    sent.get('etag'),
  )

/**
 * Makes a secret, and shows it once, in the answer to the form.
 *
 * @param days default: 180
 * @param ifMatch the state that the form showed: the same form makes no second secret
 */
export async function makeSecret(
  request: AdministratorRequest,
  appId: string,
  description: string,
  days = 0,
  ifMatch?: string,
): Promise<Response> {
  const { application } = await readRegistered(request, appId)
  const lifetimeDays = days > 0 && days <= 730 ? days : 180
  const endDateTime = new Date(request.now.getTime() + lifetimeDays * dayMs).toISOString()
  const displayName = description || `Created on ${day(request.now)}`
  const { body } = await request.graph.send({
    method: 'POST',
    path: `/applications/${application.id}/addPassword`,
    body: { passwordCredential: { displayName, endDateTime } },
    ifMatch,
  })
  const secret = newPassword.parse(body)
  const registered = await readRegistered(request, appId)
  return applicationPage(
    request,
    registered,
    tab,
    html`<p role="status" class="done"><strong>The secret was created.</strong> Copy its value now. It is not shown again.</p>
${facts([
  ['Value', copyable(secret.secretText)],
  ['Expires', time(secret.endDateTime, request.now)],
])}
${await settingsToPaste(request, registered, secret.secretText)}
<p><a href="${applicationPath(appId, tab)}">All credentials</a></p>`,
  )
}

/** The replacement of a secret without an interruption: make, use, remove. */
const showReplacement = tabPage(tab, async (request, { application }, attempt, req) => {
  const { passwordCredentials, appId } = application
  const path = applicationPath(appId, tab)
  const keyId = req.param('keyId') ?? ''
  const old = passwordCredentials.find((one) => one.keyId === keyId)
  if (old === undefined)
    return html`<p class="done">The secret was removed. <a href="${path}">All credentials</a></p>`
  const newer = passwordCredentials
    .filter((one) => one.keyId !== keyId && one.startDateTime > old.startDateTime)
    .toSorted((one, other) => +other.startDateTime - +one.startDateTime)[0]
  const isUsed = newer?.lastUsedDateTime != null
  const step = (isDone: boolean) => mark(isDone ? 'good' : 'plain', isDone ? 'done' : 'to do')
  return html`<h2>Replace the secret “${old.displayName ?? old.hint}”</h2>
<ol>
<li><h3>Create a new secret ${step(newer !== undefined)}</h3>
${newer ? html`<p>“${newer.displayName ?? newer.hint}”, created ${time(newer.startDateTime, request.now)}.</p>` : secretForm(request, application, attempt, old.displayName ?? '')}</li>
<li><h3>Use the new secret in every program ${step(isUsed)}</h3>
<p>New secret last used: ${time(newer?.lastUsedDateTime, request.now)}. Old secret last used: ${time(old.lastUsedDateTime, request.now)}.</p></li>
<li><h3>Remove the old secret ${step(false)}</h3>
<p>${isUsed ? 'After that, programs that still use the old secret get AADSTS7000215.' : 'Wait until the new secret is in use.'}</p>
${removeForm(request, path, 'secret', old)}</li>
</ol>`
})

const x509 = { type: 'AsymmetricX509Cert', usage: 'Verify' } as const
const kept = ({ keyId, displayName }: ApplicationView['keyCredentials'][number]) => ({
  ...x509,
  keyId,
  displayName,
})

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
    return { ...x509, displayName, key: raw.toString('base64') }
  } catch (cause) {
    throw actionFault('The text is not an X.509 certificate in PEM format.', { cause })
  }
}

export const credentialsPages: readonly PageRow[] = [
  {
    path: base,
    section: 'App registrations',
    show,
    actions: [
      { suffix: '/secrets', run: addSecret },
      changeAction(tab, '/remove-secret', ({ application }, sent) => ({
        method: 'POST',
        path: `/applications/${application.id}/removePassword`,
        body: { keyId: sent.get('key_id') ?? '' },
      })),
      {
        ...changeAction(tab, '/certificates', (registered, sent) => {
          const keyCredentials = [
            ...registered.application.keyCredentials.map(kept),
            certificateOf(sent),
          ]
          return patchOf(registered, { keyCredentials }, sent.get('etag'))
        }),
        body: certificateBody,
      },
      changeAction(tab, '/remove-certificate', (registered, sent) => {
        const { keyCredentials, '@odata.etag': etag } = registered.application
        const left = keyCredentials.filter(({ keyId }) => keyId !== sent.get('key_id')).map(kept)
        return patchOf(registered, { keyCredentials: left }, etag)
      }),
      ...federatedActions,
    ],
  },
  { path: `${base}/:keyId/replace`, section: 'App registrations', show: showReplacement },
]
