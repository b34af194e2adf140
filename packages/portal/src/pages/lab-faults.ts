import type { ServerEnv } from '@greeting/http-service'
import type { Context } from 'hono'
import { html } from 'hono/html'
import { z } from 'zod'
import type { AdministratorRequest, InProcessGraph } from '../graph/administrator-request.ts'
import { type Attempt, buttonForm, choice, field, form, hiddenFields } from '../layout/form.ts'
import { type Html, mark, table } from '../layout/parts.ts'
import type { FaultKind, FaultParameter } from '../portal-host.ts'
import type { Form } from '../security/portal-form.ts'

export const faultsPath = '/portal/lab'

const armedFault = z.object({
  id: z.string(),
  fault: z.string(),
  at: z.string(),
  parameters: z.record(z.string(), z.union([z.string(), z.number()])),
  client: z.string().optional(),
  run: z.string().optional(),
  times: z.number().optional(),
  seconds: z.number().optional(),
  applied: z.number(),
  isArmed: z.boolean(),
})

/** The faults that are armed, and those to arm. */
export async function showFaults(
  lab: InProcessGraph,
  request: AdministratorRequest,
  { req }: Context<ServerEnv>,
  attempt?: Attempt,
): Promise<Html> {
  const armed = await lab.list('/faults', armedFault)
  const kinds = request.host.lab?.faultKinds ?? []
  const name = attempt?.form.get('fault') ?? req.query('fault')
  const chosen = kinds.find((one) => one.name === name)
  return html`<p>A fault breaks the responses of an endpoint, for one request unless you enter more.</p>
${table(
  'Faults',
  ['Fault', 'Endpoint', 'Parameters', 'Requests', 'State', 'Change'],
  armed.map((one) => [
    html`<code>${one.fault}</code>`,
    one.at,
    parametersText({ ...one.parameters, client: one.client, run: one.run }),
    `${one.applied} of ${one.times ?? (one.seconds === undefined ? 1 : 'any number')}`,
    mark(one.isArmed ? 'warn' : 'plain', one.isArmed ? 'armed' : 'used up'),
    buttonForm(request, `${faultsPath}/remove`, ['Remove', one.fault], { id: one.id }),
  ]),
  'No fault is armed.',
)}
${armed.length > 0 && buttonForm(request, `${faultsPath}/clear`, 'Remove all faults')}
${chosen && armForm(request, chosen, attempt)}
<h2>Faults to arm</h2>
${table(
  'Faults to arm',
  ['Fault', 'Effect', 'Endpoints'],
  kinds.map((one) => [
    html`<a href="${faultsPath}?fault=${one.name}#arm"><code>${one.name}</code></a>`,
    one.summary.replaceAll('`', ''),
    one.at.join(', '),
  ]),
  '',
)}`
}

const parametersText = (values: Readonly<Record<string, unknown>>) =>
  Object.entries(values)
    .flatMap(([name, value]) => (value === undefined ? [] : `${name} ${value}`))
    .join(', ')

const armForm = (
  request: AdministratorRequest,
  { name, at, summary, parameters }: FaultKind,
  attempt?: Attempt,
) =>
  html`<h2 id="arm">Arm <code>${name}</code></h2><p>${summary.replaceAll('`', '')}</p>
${form(
  request,
  `${faultsPath}/arm`,
  html`${hiddenFields({ fault: name })}
${choice({ name: 'at', label: 'Endpoint', options: at.map((value) => ({ value, label: value })) }, attempt)}
${parameters.map((one) => parameterField(one, attempt))}
${field({ name: 'times', label: 'Requests', type: 'number', help: 'If empty: one request, or every request within the seconds below.' }, attempt)}
${field({ name: 'seconds', label: 'Seconds, by the clock of the lab', type: 'number' }, attempt)}
${field({ name: 'client', label: 'Client ID', maxLength: 64, help: 'If empty: every client. Only requests to the token endpoint have a client ID.' }, attempt)}
<button>Arm the fault</button>`,
)}`

function parameterField(
  { name, initial, choices, minimum, maximum, isRequired }: FaultParameter,
  attempt?: Attempt,
): Html {
  const one = { name: `parameter:${name}`, value: String(initial ?? '') }
  if (choices === undefined) {
    const label = `${name}, ${minimum} to ${maximum}`
    return field({ ...one, label, type: 'number', required: isRequired }, attempt)
  }
  const options = choices.map((value) => ({ value: String(value), label: String(value) }))
  return choice({ ...one, label: name, options }, attempt)
}

const numeric = (text: string) => (Number.isInteger(Number(text)) ? Number(text) : text)

/** The fields of the form as the fault of the API, which validates it. */
export function faultOf(sent: Form): object {
  const numbers = [...sent]
    .filter(([name, text]) => /^(parameter:|times$|seconds$)/.test(name) && text.trim() !== '')
    .map(([name, text]) => [name.replace('parameter:', ''), numeric(text)])
  const client = sent.get('client')?.trim()
  return {
    fault: sent.get('fault'),
    at: sent.get('at'),
    ...Object.fromEntries(numbers),
    ...(client && { client }),
  }
}
