import { createHash } from 'node:crypto'
import {
  callersOf,
  type FileIssue,
  lineOf,
  parseRegistrations,
  type RegistrationsFile,
  RegistrationsFileError,
} from '@greeting/registrations'
import {
  applyPlan,
  GraphRefusalError,
  type NewSecret,
  namesOf,
  readDirectory,
  readWholeDirectory,
  withHolders,
} from '@greeting/registrations/apply'
import {
  diffOf,
  exportRegistrations,
  type Plan,
  planRegistrations,
  planText,
} from '@greeting/registrations/planning'
import { html } from 'hono/html'
import { type AdministratorRequest, actionFault } from '../graph/administrator-request.ts'
import { type Attempt, form, hiddenFields } from '../layout/form.ts'
import { page, pageHeaders } from '../layout/page.ts'
import type { ActionRow, PageRow } from '../layout/page-row.ts'
import { copyable, type Html, snippet, table } from '../layout/parts.ts'
import { refusalSentence } from '../layout/refusals.ts'

const path = '/portal/file'
const maxFileBytes = 1024 * 1024
/** The file once more, as text in a form. */
const body = { maxBodyBytes: 2 * maxFileBytes, encoding: 'multipart/form-data' } as const
const maxShownFaults = 20

const filePage = (request: AdministratorRequest, content: Html, attempt?: Attempt) =>
  page(request, { title: 'Registrations file', attempt, content })

const multipart = html` enctype="${body.encoding}"`

const show: PageRow['show'] = (request, _context, attempt) =>
  filePage(
    request,
    html`<p>The file describes the applications, roles, permissions and secrets of this tenant. <code>npx --no-install greeting registrations</code> uses the same format.</p>
<h2>Export</h2>
<p><a href="${path}/export">Download the directory as a file</a> · <a href="${path}/export?portable=yes">Download it without the IDs of this tenant</a></p>
<h2>Plan</h2>
${form(
  request,
  `${path}/plan`,
  html`<label>Registrations file, at most ${maxFileBytes / 1024} KiB<input type="file" name="file" accept="application/json,.json" required></label>
<button class="primary">Show the plan</button>`,
  multipart,
)}`,
    attempt,
  )

const exportFile: PageRow['show'] = async (request, { req }) => {
  const state = await readWholeDirectory(request.graph, request.session.tenantId)
  const portable = req.query('portable') === 'yes'
  const { file } = exportRegistrations(state, { portable })
  return new Response(`${JSON.stringify(file, undefined, 2)}\n`, {
    headers: {
      ...pageHeaders,
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': 'attachment; filename="registrations.json"',
    },
  })
}

/** The file of a form. Its faults are reported with their lines. */
function parseFile(text: string, tenantId: string): RegistrationsFile {
  if (Buffer.byteLength(text) > maxFileBytes)
    throw actionFault(`The file is larger than ${maxFileBytes / 1024} KiB. Use the command.`)
  try {
    const file = parseRegistrations(text)
    if (callersOf(file).some(({ certificates = [] }) => certificates.length > 0))
      throw actionFault('The file refers to certificate files, which only the command can read.')
    if (file.tenant?.id !== undefined && file.tenant.id !== tenantId)
      throw actionFault(`Line ${lineOf(text, 'tenant.id') ?? 1}: the file is for another tenant.`)
    return file
  } catch (cause) {
    if (!(cause instanceof RegistrationsFileError)) throw cause
    const faults = cause.issues.slice(0, maxShownFaults).map((issue) => faultText(text, issue))
    const omitted = cause.issues.length - faults.length
    const more = omitted > 0 ? [`${omitted} more errors.`] : []
    throw actionFault([...faults, ...more].join(' '), { cause })
  }
}

function faultText(text: string, { path: place, message }: FileIssue): string {
  const line = place === '' ? undefined : lineOf(text, place)
  return `${line === undefined ? '' : `Line ${line}: `}${place} ${message}.`.trim()
}

async function planOf(
  { graph, session, now }: AdministratorRequest,
  file: RegistrationsFile,
): Promise<Plan> {
  const read = await readDirectory(graph, session.tenantId, namesOf(file))
  const identified = new Set(namesOf(file).applicationIds)
  const state = await withHolders(graph, read, { identified, now })
  return planRegistrations({ file, state, now, administrator: session.applicationId })
}

/** The plan that a person saw. Another plan is shown again, and not applied. */
const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url')

function planPage(
  request: AdministratorRequest,
  text: string,
  plan: Plan,
  note: Html = '',
): Promise<Response> {
  const shown = planText(plan)
  const { changes, faults, adoptions } = plan
  const canApply = faults.length === 0 && changes.length > 0
  const fields = html`${hiddenFields({ plan: digestOf(shown) })}<textarea name="file" hidden>${text}</textarea>
${adoptions.length > 0 && html`<label><input type="checkbox" name="confirmed" value="yes" required> The applications that were found only by name are the right ones</label>`}
<button class="primary">Apply ${changes.length === 1 ? '1 change' : `${changes.length} changes`}</button>`
  return filePage(
    request,
    html`${note}<h2>Plan</h2>${snippet(shown, 'Plan')}
${canApply && form(request, `${path}/apply`, fields, multipart)}<p><a href="${path}">Choose another file</a></p>`,
  )
}

const showPlan: ActionRow['run'] = async (request, sent) => {
  const text = sent.get('file') ?? ''
  return planPage(request, text, await planOf(request, parseFile(text, request.session.tenantId)))
}

const apply: ActionRow['run'] = async (request, sent) => {
  const text = sent.get('file') ?? ''
  const plan = await planOf(request, parseFile(text, request.session.tenantId))
  if (digestOf(planText(plan)) !== sent.get('plan')) {
    const note = html`<p role="alert" class="problem"><strong>Not done.</strong> The directory has changed. This is the plan for its current state.</p>`
    return planPage(request, text, plan, note)
  }
  if (plan.adoptions.length > 0 && sent.get('confirmed') !== 'yes') {
    throw actionFault('Confirm the applications that were found only by name. Nothing was changed.')
  }
  const secrets: NewSecret[] = []
  const applied = await applyPlan(plan, {
    graph: request.graph,
    secrets: { prepare: async () => {}, keep: async (secret) => void secrets.push(secret) },
    now: () => request.now,
  })
  const { done, stopped, left } = applied
  const error = stopped?.error
  const reason = error instanceof GraphRefusalError ? refusalSentence(error, request) : undefined
  if (error !== undefined && reason === undefined) throw error
  const lines = (changes: Plan['changes']) => changes.flatMap((change) => diffOf(change)).join('\n')
  return filePage(
    request,
    html`${
      reason === undefined
        ? html`<p role="status" class="done">Done: the directory matches the file.</p>`
        : html`<p role="alert" class="problem"><strong>Stopped.</strong> ${reason} Apply the file again to continue.</p>`
    }
${done.length > 0 && html`<h2>Done</h2>${snippet(lines(done), 'Done')}`}
${left.length > 0 && html`<h2>Not attempted</h2>${snippet(lines(left), 'Not attempted')}`}
${
  secrets.length > 0 &&
  html`<h2>New secrets</h2><p class="note">Copy the values now. They are not shown again.</p>
${table(
  'New secrets',
  ['Client', 'Secret', 'Client ID', 'Value'],
  secrets.map((one) => [one.client, one.secret, copyable(one.clientId), copyable(one.secretText)]),
  '',
)}`
}
<p><a href="${path}/export">Download the directory as a file</a></p>`,
  )
}

export const filePages: readonly PageRow[] = [
  {
    path,
    section: 'Registrations file',
    show,
    actions: [
      { suffix: '/plan', run: showPlan, body, changesNothing: true },
      { suffix: '/apply', run: apply, body },
    ],
  },
  { path: `${path}/export`, section: 'Registrations file', show: exportFile },
]
